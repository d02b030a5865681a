// Attribute templates of new keys (PKCS #11 v2.40 sections 4.8 to 4.10).
import type pkcs11js from 'pkcs11js';
import { CKA, CKK, CKM, CKO } from '../../../kmip/pkcs11.ts';
import type { AttributeChanges, BroughtKey, KeyOptions, PairOptions, SecretOptions, TokenKeyKind, TokenPublicKey, TokenUse, WrappedKey } from '../api.ts';
import { idOf } from './key-name.ts';
import { octetString } from './point.ts';

type Template = pkcs11js.Attribute[];

const USE: Readonly<Record<TokenUse, number>> = {
  encrypt: CKA.ENCRYPT,
  decrypt: CKA.DECRYPT,
  sign: CKA.SIGN,
  verify: CKA.VERIFY,
  wrap: CKA.WRAP,
  unwrap: CKA.UNWRAP,
  derive: CKA.DERIVE,
};
export const USES = Object.entries(USE) as readonly [TokenUse, number][];

/** The uses that a class of key has an attribute for. */
const OF_CLASS: Readonly<Record<number, readonly TokenUse[]>> = {
  [CKO.SECRET_KEY]: ['encrypt', 'decrypt', 'sign', 'verify', 'wrap', 'unwrap', 'derive'],
  [CKO.PRIVATE_KEY]: ['decrypt', 'sign', 'unwrap', 'derive'],
  [CKO.PUBLIC_KEY]: ['encrypt', 'verify', 'wrap'],
};

/** What a key of a pair can do by its type. NSS tests each use that a new pair is for, and refuses one that the type does not have. */
const OF_TYPE: Readonly<Record<'RSA' | 'EC' | 'ED' | 'X', readonly TokenUse[]>> = {
  RSA: ['encrypt', 'decrypt', 'sign', 'verify', 'wrap', 'unwrap'],
  EC: ['sign', 'verify', 'derive'],
  ED: ['sign', 'verify'],
  X: ['derive'],
};

const CURVE = { EC: CKK.EC, ED: CKK.EC_EDWARDS, X: CKK.EC_MONTGOMERY } as const;

/** Before PKCS #11 v3.0, and in SoftHSM, keys of the Montgomery curves have the type of the Edwards curves. @param has the mechanisms of the token */
function curveType(curve: keyof typeof CURVE, has: ReadonlySet<number>): number {
  return curve === 'X' && !has.has(CKM['CKM_EC_MONTGOMERY_KEY_PAIR_GEN'] as number) ? CKK.EC_EDWARDS : CURVE[curve];
}
const SECRET = { AES: CKK.AES, GENERIC: CKK.GENERIC_SECRET } as const;

const bytes = (type: number, value: Uint8Array): pkcs11js.Attribute => ({ type, value: Buffer.from(value) });

function common(objectClass: number, { name, uses }: Pick<KeyOptions, 'name' | 'uses'>): Template {
  const flags = (OF_CLASS[objectClass] as readonly TokenUse[]).map((use) => ({ type: USE[use], value: uses.includes(use) }));
  return [{ type: CKA.CLASS, value: objectClass }, { type: CKA.TOKEN, value: true }, bytes(CKA.ID, idOf(name)), { type: CKA.LABEL, value: name }, ...flags];
}

function guarded(objectClass: number, options: KeyOptions): Template {
  const { sensitive, extractable } = options;
  return [
    ...common(objectClass, options),
    { type: CKA.PRIVATE, value: true },
    { type: CKA.SENSITIVE, value: sensitive },
    { type: CKA.EXTRACTABLE, value: extractable },
  ];
}

const both = (some: readonly TokenUse[], others: readonly TokenUse[]): readonly TokenUse[] => some.filter((use) => others.includes(use));

/** @returns the template as the model wants it */
export function changed(template: Template, changes: AttributeChanges | undefined, kind: TokenKeyKind): Template {
  const changesOfKind = Object.entries(changes?.[kind] ?? {}).map(([name, value]) => ({ type: CKA[name as keyof typeof CKA] ?? Number(name), value }));
  const kept = template.filter(({ type }) => changesOfKind.every((change) => change.type !== type));
  return [...kept, ...changesOfKind.flatMap(({ type, value }) => (value === null ? [] : [{ type, value }]))];
}

export function secretTemplate(options: SecretOptions): Template {
  return [...guarded(CKO.SECRET_KEY, options), { type: CKA.KEY_TYPE, value: SECRET[options.type] }, { type: CKA.VALUE_LEN, value: options.bits / 8 }];
}

export function pairTemplates(options: PairOptions, has: ReadonlySet<number>): { readonly publicKey: Template; readonly privateKey: Template } {
  const { type, name, uses, publicUses } = options;
  const possible = OF_TYPE['rsaBits' in type ? 'RSA' : type.curve];
  const publicKey = common(CKO.PUBLIC_KEY, { name, uses: both(publicUses, possible) });
  const privateKey = guarded(CKO.PRIVATE_KEY, { ...options, uses: both(uses, possible) });
  const keyType = { type: CKA.KEY_TYPE, value: 'rsaBits' in type ? CKK.RSA : curveType(type.curve, has) };
  const shape =
    'rsaBits' in type ? [{ type: CKA.MODULUS_BITS, value: type.rsaBits }, bytes(CKA.PUBLIC_EXPONENT, Buffer.of(1, 0, 1))] : [bytes(CKA.EC_PARAMS, type.params)];
  return { publicKey: [...publicKey, keyType, ...shape], privateKey: [...privateKey, keyType] };
}

/** For C_CreateObject. */
export function broughtTemplate(options: KeyOptions, key: BroughtKey, has: ReadonlySet<number>): Template {
  if (key.kind === 'secret') return [...guarded(CKO.SECRET_KEY, options), { type: CKA.KEY_TYPE, value: SECRET[key.type] }, bytes(CKA.VALUE, key.value)];
  const possible = OF_TYPE[key.kind === 'public' ? key.key.type : 'type' in key ? key.type : 'RSA'];
  const fitting = { ...options, uses: both(options.uses, possible) };
  if (key.kind === 'public') return [...common(CKO.PUBLIC_KEY, fitting), ...publicValue(key.key, has)];
  const privateKey = guarded(CKO.PRIVATE_KEY, fitting);
  if ('type' in key)
    return [...privateKey, { type: CKA.KEY_TYPE, value: curveType(key.type, has) }, bytes(CKA.EC_PARAMS, key.params), bytes(CKA.VALUE, key.scalar)];
  const { n, e, d, p, q, dp, dq, qi } = key.rsa;
  const numbers: readonly (readonly [number, Uint8Array])[] = [
    ...([
      [CKA.MODULUS, n],
      [CKA.PUBLIC_EXPONENT, e],
      [CKA.PRIVATE_EXPONENT, d],
    ] as const),
    ...([
      [CKA.PRIME_1, p],
      [CKA.PRIME_2, q],
      [CKA.EXPONENT_1, dp],
      [CKA.EXPONENT_2, dq],
      [CKA.COEFFICIENT, qi],
    ] as const),
  ];
  return [...privateKey, { type: CKA.KEY_TYPE, value: CKK.RSA }, ...numbers.map(([type, value]) => bytes(type, value))];
}

function publicValue(key: TokenPublicKey, has: ReadonlySet<number>): Template {
  if (key.type === 'RSA') return [{ type: CKA.KEY_TYPE, value: CKK.RSA }, bytes(CKA.MODULUS, key.modulus), bytes(CKA.PUBLIC_EXPONENT, key.exponent)];
  return [{ type: CKA.KEY_TYPE, value: curveType(key.type, has) }, bytes(CKA.EC_PARAMS, key.params), bytes(CKA.EC_POINT, octetString(key.point))];
}

/** A key of ours that the token unwraps for uses there, and never tells. */
export function unwrappedTemplate({ type, uses }: WrappedKey): Template {
  const objectClass = type === 'RSA' ? CKO.PRIVATE_KEY : CKO.SECRET_KEY;
  const flags = (OF_CLASS[objectClass] as readonly TokenUse[]).map((use) => ({ type: USE[use], value: uses.includes(use) }));
  return [
    { type: CKA.CLASS, value: objectClass },
    { type: CKA.KEY_TYPE, value: type === 'RSA' ? CKK.RSA : SECRET[type] },
    { type: CKA.TOKEN, value: false },
    { type: CKA.PRIVATE, value: true },
    { type: CKA.SENSITIVE, value: true },
    { type: CKA.EXTRACTABLE, value: false },
    ...flags,
  ];
}

/** A secret that lives on the token for one call: its value may be read. @param value undefined for one that the token derives or unwraps */
export function passingSecret(value?: Uint8Array, length?: number): Template {
  return [
    { type: CKA.CLASS, value: CKO.SECRET_KEY },
    { type: CKA.KEY_TYPE, value: CKK.GENERIC_SECRET },
    { type: CKA.TOKEN, value: false },
    { type: CKA.PRIVATE, value: true },
    { type: CKA.SENSITIVE, value: false },
    { type: CKA.EXTRACTABLE, value: true },
    ...(value === undefined ? [] : [bytes(CKA.VALUE, value)]),
    ...(length === undefined ? [] : [{ type: CKA.VALUE_LEN, value: length }]),
  ];
}
