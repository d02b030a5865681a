// One token with a session that is logged in: finds keys by name, remembers their handles, and reads what they are.
import type pkcs11js from 'pkcs11js';
import { CKA, CKK, CKO } from '../../kmip/pkcs11.ts';
import { PKCS_11_RETURN_CODE as CKR } from '../../kmip/ttlv/pkcs11.ts';
import type { HsmQuirks, TokenKey, TokenKeyKind, TokenKeyName, TokenKeyType, TokenPublicKey } from './api.ts';
import { type KeyMarks, markOf } from './key-marks.ts';
import { asName, cacheName, idOf, namesOf } from './key-name.ts';
import { bare } from './point.ts';
import { USES } from './template.ts';

/** There is no such key on the token. */
export class KeyMissing extends Error {}
/** Several keys have the name. */
export class KeyAmbiguous extends Error {}

const CLASS: Readonly<Record<TokenKeyKind, number>> = { secret: CKO.SECRET_KEY, private: CKO.PRIVATE_KEY, public: CKO.PUBLIC_KEY };
const KINDS = Object.entries(CLASS) as readonly [TokenKeyKind, number][];
const TYPE: ReadonlyMap<number, TokenKeyType> = new Map([
  [CKK.AES, 'AES'],
  [CKK.GENERIC_SECRET, 'GENERIC'],
  [CKK.RSA, 'RSA'],
  [CKK.EC, 'EC'],
  [CKK.EC_EDWARDS, 'ED'],
  [CKK.EC_MONTGOMERY, 'X'],
]);
/** Handles asked for at a time. */
const SEARCH_BATCH = 64;
/** More keys of a slot are not listed. */
const MAX_LISTED = 100_000;
/** A key with a longer CKA_ID, and no other name, is not listed: PostgreSQL would not keep its identifier. */
const MAX_ID_BYTES = 256;

interface TokenParts {
  readonly library: pkcs11js.PKCS11;
  readonly session: pkcs11js.Handle;
  readonly mechanisms: ReadonlySet<number>;
  /** Of earlier calls. */
  readonly handles: Map<string, pkcs11js.Handle>;
  readonly quirks: HsmQuirks;
  readonly marks?: KeyMarks | undefined;
}

export class Token {
  readonly library: pkcs11js.PKCS11;
  readonly session: pkcs11js.Handle;
  /** The mechanisms that the token reports. */
  readonly mechanisms: ReadonlySet<number>;
  readonly quirks: HsmQuirks;
  readonly #handles: Map<string, pkcs11js.Handle>;
  readonly #marks: KeyMarks | undefined;

  constructor({ library, session, mechanisms, handles, quirks, marks }: TokenParts) {
    this.#marks = marks;
    this.library = library;
    this.session = session;
    this.mechanisms = mechanisms;
    this.quirks = quirks;
    this.#handles = handles;
  }

  /** The same, with the handle of this key alone. */
  holding(key: TokenKeyName, handle: pkcs11js.Handle): Token {
    const { library, session, mechanisms, quirks } = this;
    return new Token({ library, session, mechanisms, quirks, handles: new Map([[cacheName(key), handle]]) });
  }

  /** @throws KeyMissing, KeyAmbiguous */
  handle(key: TokenKeyName): pkcs11js.Handle {
    const known = this.#handles.get(cacheName(key));
    if (known) return known;
    if (key.wrapped) throw handleGone();
    const found = this.lookUp(key);
    if (!found) throw new KeyMissing(`the token has no ${key.kind} key ${key.name}`);
    this.#handles.set(cacheName(key), found);
    this.#marks?.found(key, markOf(this, found));
    return found;
  }

  /** By CKA_ID, else by CKA_LABEL. */
  lookUp({ name, kind }: TokenKeyName): pkcs11js.Handle | undefined {
    const ofClass = { type: CKA.CLASS, value: CLASS[kind] };
    for (const attribute of [
      { type: CKA.ID, value: idOf(name) },
      { type: CKA.LABEL, value: name },
    ]) {
      const [found, ...others] = this.search([ofClass, attribute]);
      if (others.length > 0) throw new KeyAmbiguous(`the token has ${others.length + 1} ${kind} keys of the name ${name}: give each its own CKA_ID`);
      if (found) return found;
    }
    return undefined;
  }

  forget(key: TokenKeyName): void {
    this.#handles.delete(cacheName(key));
  }

  search(template: pkcs11js.Attribute[]): pkcs11js.Handle[] {
    const found: pkcs11js.Handle[] = [];
    this.library.C_FindObjectsInit(this.session, template);
    try {
      for (;;) {
        const part = this.library.C_FindObjects(this.session, this.quirks.searchBatch ?? SEARCH_BATCH) as pkcs11js.Handle[];
        found.push(...part);
        if (part.length === 0 || found.length >= MAX_LISTED) return found;
      }
    } finally {
      this.library.C_FindObjectsFinal(this.session);
    }
  }

  /** One attribute; undefined if the key has none, or keeps it. */
  read(handle: pkcs11js.Handle, type: number): Buffer | undefined {
    try {
      const [attribute] = this.library.C_GetAttributeValue(this.session, handle, [{ type }]) as { value: Buffer }[];
      return attribute?.value;
    } catch (error) {
      if (UNREADABLE.has((error as { code?: number }).code ?? -1)) return undefined;
      throw error;
    }
  }

  /** All keys of the token that have a name. */
  list(): TokenKey[] {
    return KINDS.flatMap(([kind, value]) =>
      this.search([
        { type: CKA.CLASS, value },
        { type: CKA.TOKEN, value: true },
      ]).flatMap((handle) => {
        const name = this.nameOf(handle);
        return name === undefined ? [] : [this.describe({ name, kind }, handle)];
      }),
    );
  }

  /** CKA_ID if it is a text, else CKA_LABEL if it is one that no other key of the class has, else CKA_ID in hexadecimal. */
  nameOf(handle: pkcs11js.Handle): string | undefined {
    const id = this.read(handle, CKA.ID);
    const text = id && asName(id);
    if (text !== undefined) return text;
    const label = this.read(handle, CKA.LABEL);
    const name = label && asName(label);
    if (
      name !== undefined &&
      this.search([
        { type: CKA.CLASS, value: uint(this.read(handle, CKA.CLASS)) },
        { type: CKA.LABEL, value: name },
      ]).length === 1
    )
      return name;
    return id && id.length > 0 && id.length <= MAX_ID_BYTES ? `0x${id.toString('hex')}` : undefined;
  }

  describe(key: TokenKeyName, handle = this.handle(key)): TokenKey {
    const type = TYPE.get(uint(this.read(handle, CKA.KEY_TYPE))) ?? 'OTHER';
    const isSet = (attribute: number) => this.read(handle, attribute)?.[0] === 1;
    const bytes = key.kind === 'secret' ? uint(this.read(handle, CKA.VALUE_LEN)) : 0;
    return {
      name: key.name,
      names: namesOf(this.read(handle, CKA.ID), this.read(handle, CKA.LABEL)),
      kind: key.kind,
      type,
      bits: bytes * 8,
      sensitive: key.kind !== 'public' && isSet(CKA.SENSITIVE),
      extractable: key.kind === 'public' || isSet(CKA.EXTRACTABLE),
      uses: USES.filter(([, attribute]) => isSet(attribute)).map(([use]) => use),
      publicKey: key.kind === 'secret' ? undefined : this.#publicKey(key, type, handle),
    };
  }

  /** From the public key of the pair, or from the private key as far as that tells it. */
  #publicKey({ name, kind, wrapped }: TokenKeyName, type: TokenKeyType, handle: pkcs11js.Handle): TokenPublicKey | undefined {
    const from = kind === 'public' || wrapped ? handle : (this.#half(name) ?? handle);
    if (type === 'RSA') {
      const [modulus, exponent] = [this.read(from, CKA.MODULUS), this.read(from, CKA.PUBLIC_EXPONENT)];
      return modulus && exponent && { type, modulus: new Uint8Array(modulus), exponent: new Uint8Array(exponent) };
    }
    if (type !== 'EC' && type !== 'ED' && type !== 'X') return undefined;
    const [params, point] = [this.read(from, CKA.EC_PARAMS), this.read(from, CKA.EC_POINT)];
    return params && point && { type, params: new Uint8Array(params), point: new Uint8Array(bare(point)) };
  }

  /** Of several public keys of the name none is known to be of the pair. */
  #half(name: string): pkcs11js.Handle | undefined {
    try {
      return this.lookUp({ name, kind: 'public' });
    } catch (error) {
      if (error instanceof KeyAmbiguous) return undefined;
      throw error;
    }
  }
}

/** CKR_ATTRIBUTE_SENSITIVE, CKR_ATTRIBUTE_TYPE_INVALID. */
const UNREADABLE: ReadonlySet<number> = new Set([0x11, 0x12]);

/** A wrapped key is not searched for: it is unwrapped again, as after the loss of its session. */
const handleGone = (): Error => Object.assign(new Error('the unwrapped key is gone'), { code: CKR.KEY_HANDLE_INVALID });

/** CK_ULONG in the byte order of the machine. */
const uint = (value: Buffer | undefined): number => (value && value.length > 0 ? value.readUIntLE(0, Math.min(value.length, 6)) : 0);
