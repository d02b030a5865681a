// One token with a session that is logged in: finds keys by name, remembers their handles, and reads what they are.
import type pkcs11js from 'pkcs11js';
import { CKA, CKO } from '../../../kmip/pkcs11.ts';
import { PKCS_11_RETURN_CODE as CKR } from '../../../kmip/ttlv/pkcs11.ts';
import type { HsmQuirks, TokenKey, TokenKeyKind, TokenKeyName, TokenKeyType, TokenPublicKey } from '../api.ts';
import { type Attributes, lengthIn, readAttributes, TOLD } from './attributes.ts';
import { type HandleChecks, isStill } from './handle-checks.ts';
import { halfAmong, isWithoutHalf, type Search } from './key-kin.ts';
import { type KeyMarks, markOf } from './key-marks.ts';
import { cacheName, hasTextId, idOf, namesOf } from './key-name.ts';
import { isOnCurve, typeIn } from './key-type.ts';
import type { PinUses } from './pin-wanted.ts';
import { bare } from './point.ts';
import { USES } from './template.ts';

/** There is no such key on the token. */
export class KeyMissing extends Error {}
/** Several keys have the name. */
export class KeyAmbiguous extends Error {}

const CLASS: Readonly<Record<TokenKeyKind, number>> = { secret: CKO.SECRET_KEY, private: CKO.PRIVATE_KEY, public: CKO.PUBLIC_KEY };
export const KINDS = Object.entries(CLASS) as readonly [TokenKeyKind, number][];
/** Handles asked for at a time. */
const SEARCH_BATCH = 64;
/** More keys of a slot are not listed. */
const MAX_LISTED = 100_000;

interface TokenParts {
  readonly library: pkcs11js.PKCS11;
  readonly session: pkcs11js.Handle;
  readonly mechanisms: ReadonlySet<number>;
  /** Of earlier calls. */
  readonly handles: Map<string, pkcs11js.Handle>;
  readonly quirks: HsmQuirks;
  readonly marks?: KeyMarks | undefined;
  readonly checks?: Pick<HandleChecks, 'isDue' | 'done'> | undefined;
  readonly pinUses?: PinUses | undefined;
}

interface Known {
  readonly attributes: Attributes;
  /** Among all keys of the token. */
  readonly search: Search;
  /** The other half of a pair. */
  readonly half: pkcs11js.Handle | undefined;
}

export class Token {
  readonly library: pkcs11js.PKCS11;
  readonly session: pkcs11js.Handle;
  /** The mechanisms that the token reports. */
  readonly mechanisms: ReadonlySet<number>;
  readonly quirks: HsmQuirks;
  /** Where the PIN can be sent. */
  readonly pinUses: PinUses | undefined;
  readonly #handles: Map<string, pkcs11js.Handle>;
  readonly #marks: KeyMarks | undefined;
  readonly #checks: TokenParts['checks'];

  constructor({ library, session, mechanisms, handles, quirks, marks, checks, pinUses }: TokenParts) {
    this.pinUses = pinUses;
    this.#marks = marks;
    this.#checks = checks;
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

  /** @param isSure looks at what the token has there, whenever that was done before @throws KeyMissing, KeyAmbiguous; CKR_KEY_HANDLE_INVALID if it is another key now */
  handle(key: TokenKeyName, isSure = false): pkcs11js.Handle {
    const known = this.#handles.get(cacheName(key));
    const isDue = known && (isSure || this.#checks?.isDue(key)) && !key.wrapped;
    if (isDue && !isStill(this, key, CLASS[key.kind], known)) throw handleGone();
    if (isDue) this.#checks?.done(key);
    if (known) return known;
    if (key.wrapped) throw handleGone();
    const found = this.lookUp(key);
    if (!found) throw new KeyMissing(`the token has no ${key.kind} key ${key.name}`);
    this.#handles.set(cacheName(key), found);
    this.#checks?.done(key);
    this.#marks?.found(key, markOf(this, found, key));
    return found;
  }

  /** By CKA_ID, else by CKA_LABEL. */
  lookUp(key: TokenKeyName): pkcs11js.Handle | undefined {
    return this.#theOne(key, { type: CKA.ID, value: idOf(key.name) }) ?? this.#theOne(key, { type: CKA.LABEL, value: key.name });
  }

  /** As `lookUp`, but no key that has only its label in common with this one: by its CKA_ID it has another name. */
  lookUpOwn(key: TokenKeyName): pkcs11js.Handle | undefined {
    const found = this.#theOne(key, { type: CKA.ID, value: idOf(key.name) });
    if (found) return found;
    const labelled = this.#theOne(key, { type: CKA.LABEL, value: key.name });
    return labelled && hasTextId(this.read(labelled, CKA.ID)) ? undefined : labelled;
  }

  #theOne({ name, kind }: TokenKeyName, attribute: pkcs11js.Attribute): pkcs11js.Handle | undefined {
    const [found, ...others] = this.search([{ type: CKA.CLASS, value: CLASS[kind] }, attribute]);
    if (others.length > 0) throw new KeyAmbiguous(`the token has ${others.length + 1} ${kind} keys of the name ${name}: give each its own CKA_ID`);
    return found;
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
    return readAttributes((types) => this.library.C_GetAttributeValue(this.session, handle, types) as { value: Buffer }[], [type]).get(type);
  }

  /** The keys of a class that outlive sessions. */
  listed(kind: TokenKeyKind): pkcs11js.Handle[] {
    return this.search([
      { type: CKA.CLASS, value: CLASS[kind] },
      { type: CKA.TOKEN, value: true },
    ]);
  }

  /** Looks through the token. */
  get kin(): Search {
    return (kind, type, value) =>
      this.search([
        { type: CKA.CLASS, value: CLASS[kind] },
        { type, value },
      ]);
  }

  attributes(handle: pkcs11js.Handle, kind: TokenKeyKind): Attributes {
    return readAttributes((types) => this.library.C_GetAttributeValue(this.session, handle, types) as { value: Buffer }[], TOLD[kind]);
  }

  /** @param known for callers who have read it, perhaps with further keys of the token */
  describe(key: TokenKeyName, handle = this.handle(key), { attributes, search, half }: Known = this.#known(key, handle)): TokenKey {
    const type = typeIn(attributes.get(CKA.KEY_TYPE));
    const isSet = (attribute: number) => attributes.get(attribute)?.[0] === 1;
    const bytes = key.kind === 'secret' ? lengthIn(attributes.get(CKA.VALUE_LEN)) : 0;
    const publicKey = key.kind === 'secret' ? undefined : this.#publicKey(type, (key.kind === 'private' && half) || handle);
    const isLone = key.kind === 'private' && !key.wrapped && half === undefined && isWithoutHalf(search, attributes);
    const params = isLone && !publicKey && isOnCurve(type) ? this.read(handle, CKA.EC_PARAMS) : undefined;
    return {
      name: key.name,
      names: namesOf(attributes.get(CKA.ID), attributes.get(CKA.LABEL)),
      kind: key.kind,
      type,
      bits: bytes * 8,
      sensitive: key.kind !== 'public' && isSet(CKA.SENSITIVE),
      extractable: key.kind === 'public' || isSet(CKA.EXTRACTABLE),
      uses: USES.filter(([, attribute]) => isSet(attribute)).map(([use]) => use),
      publicKey,
      half: key.kind === 'private' && half ? 'there' : isLone && publicKey ? 'told' : undefined,
      params: params && new Uint8Array(params),
    };
  }

  #known(key: TokenKeyName, handle: pkcs11js.Handle): Known {
    const attributes = this.attributes(handle, key.kind);
    const hasHalf = key.kind === 'private' && !key.wrapped;
    return { attributes, search: this.kin, half: hasHalf ? halfAmong(this.kin, key.kind, key.name, attributes) : undefined };
  }

  /** @param from the public key of the pair, or the private key, which may tell it too */
  #publicKey(type: TokenKeyType, from: pkcs11js.Handle): TokenPublicKey | undefined {
    if (type === 'RSA') {
      const [modulus, exponent] = [this.read(from, CKA.MODULUS), this.read(from, CKA.PUBLIC_EXPONENT)];
      return modulus && exponent && { type, modulus: new Uint8Array(modulus), exponent: new Uint8Array(exponent) };
    }
    if (!isOnCurve(type)) return undefined;
    const [params, point] = [this.read(from, CKA.EC_PARAMS), this.read(from, CKA.EC_POINT)];
    return params && point && { type, params: new Uint8Array(params), point: new Uint8Array(bare(point)) };
  }
}

/** The key is searched for again, or unwrapped again, as after the loss of its session. */
const handleGone = (): Error => Object.assign(new Error('the key is gone'), { code: CKR.KEY_HANDLE_INVALID });
