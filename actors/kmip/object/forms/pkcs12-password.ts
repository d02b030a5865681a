// The password of a PKCS#12 file: secret data named by a link or a wrapping specification, or, with other clients, the text itself in its place.
import type { ReadonlyAttributes } from '../../../../kmip/attribute/set.ts';
import { isAbsence, Refusal } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { type Node, type Structure, TYPE } from '../../../../kmip/ttlv/node.ts';
import { codeOf, structureOf, textOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { OperationContext } from '../../operation-context.ts';
import { keyOf } from '../key.ts';
import { stateAt } from '../life/lifecycle.ts';
import type { ManagedObject } from '../managed-object.ts';
import { openWrapped } from '../wrapping/opened.ts';

const { ObjectType, SecretDataType, State } = ENUM;
const MAX_CHARACTERS = 1024;

export interface FilePassword {
  readonly text: string;
  /** The password is stored in an object; the link to that object stays. */
  readonly isKept: boolean;
}

export function isPasswordLink(node: Node): node is Structure {
  return node.tag === TAG.Link && node.type === TYPE.Structure && codeOf(node, TAG.LinkType) === ENUM.LinkType.PKCS_12PasswordLink;
}

/**
 * For a file to import. The password is empty if there is no link.
 * @throws Refusal BadPassword for several links, or for a link to an object that is not a password
 */
export async function passwordGiven(attributes: ReadonlyAttributes, ctx: OperationContext): Promise<FilePassword> {
  const link = onlyLink(attributes);
  return link === undefined ? { text: '', isKept: false } : passwordNamed(link, ctx);
}

/** For a new file: from the KeyWrappingSpecification of the request, or else from the link of the private key. @throws Refusal BadPassword */
export async function passwordFor(key: ManagedObject, request: Structure, ctx: OperationContext): Promise<string> {
  const specification = structureOf(request, TAG.KeyWrappingSpecification);
  const information = specification && structureOf(specification, TAG.EncryptionKeyInformation);
  const named = information && textOf(information, TAG.UniqueIdentifier);
  if (named) return (await passwordNamed(named, ctx)).text;
  const link = onlyLink(key.attributes);
  if (link === undefined)
    throw bad(
      `the password of the PKCS#12 file is missing: ${key.id} has no PKCS_12PasswordLink, and the request has no KeyWrappingSpecification with EncryptionKeyInformation`,
    );
  return textIn(await ctx.byId(link, 'Get'), ctx);
}

function onlyLink(attributes: ReadonlyAttributes): string | undefined {
  const links = attributes.all(TAG.Link).filter(({ node }) => isPasswordLink(node));
  if (links.length > 1) throw bad('the object must have only one link of type PKCS_12PasswordLink');
  return links[0] && textOf(links[0].node as Structure, TAG.LinkedObjectIdentifier);
}

async function passwordNamed(name: string, ctx: OperationContext): Promise<FilePassword> {
  if (name.length > MAX_CHARACTERS) throw bad(`the password has more than ${MAX_CHARACTERS} characters`);
  try {
    return { text: await textIn(await ctx.byId(name, 'Get'), ctx), isKept: true };
  } catch (error) {
    // The text that stands in place of the identifier may be the password, so no message may contain it.
    if (isAbsence(error)) return { text: name, isKept: false };
    throw error;
  }
}

async function textIn(object: ManagedObject, ctx: OperationContext): Promise<string> {
  const kind = object.content && codeOf(object.content, TAG.SecretDataType);
  if (object.type !== ObjectType.SecretData || kind !== SecretDataType.Password) throw bad(`${object.id} is not secret data of type Password`);
  if (object.archived || stateAt(object, ctx.now) !== State.Active) throw bad(`the secret data ${object.id}, which holds the password, is not Active`);
  const text = (await keyOf(await openWrapped(object, ctx), ctx).material()).export().toString('utf8');
  if (text.length > MAX_CHARACTERS) throw bad(`the password has more than ${MAX_CHARACTERS} characters`);
  return text;
}

const bad = (why: string): Refusal => new Refusal('BadPassword', `PKCS#12: ${why}`);
