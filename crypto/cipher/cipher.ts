// Finds the cipher for an algorithm and its parameters, and caches it for each combination.
import { CryptoError } from '../crypto-error.ts';
import type { SecretKey } from '../key/secret-key.ts';
import type { BlockCipherMode, CryptographicAlgorithm, CryptographicParameters } from '../parameters.ts';
import { onSwitchOff, requireOn } from '../switched-off.ts';
import { aead, ccm } from './aead.ts';
import { blockCipher, counterMode } from './block-cipher.ts';
import { chacha20 } from './chacha20.ts';
import { gcmSiv } from './gcm-siv.ts';
import type { IvRule } from './initialization-vector.ts';
import { keyWrap } from './key-wrap.ts';
import { isBlockPadding } from './padding.ts';
import { xts } from './xts.ts';

export interface CipherStream {
  update(data: Uint8Array): Uint8Array;
  /** Returns the rest and, after encryption in an authenticated mode, the tag. For decryption, pass the tag here if it was not known at the start. */
  final(tag?: Uint8Array): Ciphertext;
}

export interface Ciphertext {
  readonly data: Uint8Array;
  readonly tag?: Uint8Array;
}

export interface StreamInput {
  readonly iv?: Uint8Array | undefined;
  readonly aad?: Uint8Array | undefined;
}

export interface EncryptInput extends StreamInput {
  readonly data: Uint8Array;
}

/** Of one use. */
export interface CipherLengths {
  readonly iv: Uint8Array | undefined;
  /** Of the data, without the tag. */
  readonly bytes: number;
  readonly tag?: Uint8Array | undefined;
}

interface DecryptInput extends EncryptInput {
  readonly tag?: Uint8Array | undefined;
}

/**
 * A cipher with its mode and padding. Errors: missing_iv; invalid for data or keys of the wrong length;
 * failed if decryption fails.
 */
export interface Cipher {
  /** `AES-256-GCM` */
  readonly name: string;
  /** Length in bytes of the IV, nonce or counter that the server generates if the client sends none; undefined if the cipher needs none. */
  readonly ivBytes: number | undefined;
  /** The lengths that it takes; undefined if it needs none. */
  readonly ivRule: IvRule | undefined;
  acceptsIv(bytes: number): boolean;
  readonly authenticated: boolean;
  /** 0 if there is no tag. */
  readonly tagBytes: number;
  /**
   * Checks what `encrypt` and `decrypt` refuse whatever the key is, for those who have a token do the work. Absent for ciphers that no token has.
   * @throws CryptoError as these
   */
  readonly requireLengths?: (what: 'encrypt' | 'decrypt', given: CipherLengths) => void;
  encrypt(key: SecretKey, input: EncryptInput): Ciphertext;
  decrypt(key: SecretKey, input: DecryptInput): Uint8Array;
  /** Absent if the mode needs all data at once. */
  readonly encryptor?: (key: SecretKey, input: StreamInput) => CipherStream;
  /** Its output is not authenticated until `final` returns. */
  readonly decryptor?: (key: SecretKey, input: StreamInput & { readonly tag?: Uint8Array | undefined }) => CipherStream;
}

interface BlockAlgorithm {
  readonly name: string;
  readonly keys: readonly number[];
  readonly blockBytes: number;
  readonly modes: readonly BlockCipherMode[];
  readonly defaultMode: BlockCipherMode;
  openssl(keyBytes: number): string;
}

const CLASSIC = ['ECB', 'CBC', 'CFB', 'OFB'] as const;

const BLOCK: Partial<Record<CryptographicAlgorithm, BlockAlgorithm>> = {
  AES: {
    ...{ name: 'AES', keys: [16, 24, 32], blockBytes: 16, defaultMode: 'GCM', openssl: (bytes) => `aes-${bytes * 8}` },
    modes: [...CLASSIC, 'CTR', 'GCM', 'CCM', 'XTS', 'GCMSIV', 'AEAD', 'NISTKeyWrap', 'AESKeyWrapPadding'],
  },
  ARIA: {
    ...{ name: 'ARIA', keys: [16, 24, 32], blockBytes: 16, defaultMode: 'CBC', openssl: (bytes) => `aria-${bytes * 8}` },
    modes: [...CLASSIC, 'CTR', 'GCM', 'CCM', 'AEAD'],
  },
  Camellia: {
    ...{ name: 'Camellia', keys: [16, 24, 32], blockBytes: 16, defaultMode: 'CBC', openssl: (bytes) => `camellia-${bytes * 8}` },
    modes: [...CLASSIC, 'CTR'],
  },
  SM4: { name: 'SM4', keys: [16], blockBytes: 16, defaultMode: 'CBC', openssl: () => 'sm4', modes: [...CLASSIC, 'CTR'] },
  DES3: {
    ...{ name: '3DES', keys: [16, 24], blockBytes: 8, defaultMode: 'CBC', modes: CLASSIC },
    openssl: (bytes) => (bytes === 16 ? 'des-ede' : 'des-ede3'),
  },
};

/** There are few combinations of parameters without a counter, but a limit ensures that no caller can make the cache grow. */
const RESOLVED_MAX = 1024;
const resolved = new Map<string, Cipher>();
onSwitchOff(() => resolved.clear());

/**
 * The cipher for a key of `keyBytes` bytes. The default mode is GCM for AES and CBC for other block ciphers. PaddingMethod has an effect
 * only in ECB (default None) and CBC (default PKCS5). For FPE_FF1 see fpe.ts.
 * @throws CryptoError unsupported, invalid, switched_off
 */
export function cipherFor(algorithm: CryptographicAlgorithm, parameters: CryptographicParameters, keyBytes: number): Cipher {
  if (parameters.initialCounterValue !== undefined || parameters.counterLength !== undefined) return resolve(algorithm, parameters, keyBytes);
  const id = `${algorithm} ${parameters.blockCipherMode} ${parameters.paddingMethod} ${keyBytes} ${parameters.tagLength}`;
  const known = resolved.get(id);
  if (known !== undefined) return known;
  const cipher = resolve(algorithm, parameters, keyBytes);
  if (resolved.size < RESOLVED_MAX) resolved.set(id, cipher);
  return cipher;
}

function resolve(algorithm: CryptographicAlgorithm, parameters: CryptographicParameters, keyBytes: number): Cipher {
  const mode = parameters.blockCipherMode;
  if (algorithm === 'ChaCha20' && mode === undefined) {
    checkKey('ChaCha20', [32], keyBytes);
    requireOn('ChaCha20');
    return chacha20(parameters.initialCounterValue);
  }
  if (algorithm === 'ChaCha20Poly1305' && (mode === undefined || mode === 'AEAD')) {
    checkKey('ChaCha20-Poly1305', [32], keyBytes);
    requireOn('ChaCha20-Poly1305');
    return aead('ChaCha20-Poly1305', 'chacha20-poly1305', parameters.tagLength);
  }
  const block = BLOCK[algorithm];
  if (block === undefined && mode === undefined) throw unsupported(`${algorithm} is not supported for encryption`);
  if (block === undefined || !block.modes.includes(mode ?? block.defaultMode)) throw unsupported(`${algorithm} in mode ${mode} is not supported`);
  return blockMode(block, mode ?? block.defaultMode, parameters, keyBytes);
}

function blockMode(block: BlockAlgorithm, mode: BlockCipherMode, parameters: CryptographicParameters, keyBytes: number): Cipher {
  const allowed = mode === 'XTS' ? [32, 64] : mode === 'GCMSIV' ? [16, 32] : block.keys;
  checkKey(`${block.name}-${mode}`, allowed, keyBytes);
  requireOn(`${block.name}-${mode === 'AEAD' ? 'GCM' : mode}`);
  const bits = block.name === '3DES' ? '' : `-${mode === 'XTS' ? keyBytes * 4 : keyBytes * 8}`;
  const name = `${block.name}${bits}-${mode === 'AEAD' ? 'GCM' : mode}`;
  const openssl = block.openssl(keyBytes);
  switch (mode) {
    case 'GCM':
    case 'AEAD':
      return aead(name, `${openssl}-gcm`, parameters.tagLength);
    case 'CCM':
      return ccm(name, `${openssl}-ccm`, parameters.tagLength);
    case 'GCMSIV':
      return gcmSiv(name, parameters.tagLength);
    case 'XTS':
      return xts(name, `aes-${keyBytes * 4}-xts`);
    case 'NISTKeyWrap':
    case 'AESKeyWrapPadding':
      return keyWrap(name, mode, keyBytes);
    case 'CTR':
      return counterMode(name, `${openssl}-ctr`, parameters);
    case 'CFB':
    case 'OFB':
      return blockCipher({ name, openssl: `${openssl}-${mode.toLowerCase()}`, blockBytes: block.blockBytes, ivBytes: block.blockBytes });
    default: {
      const padding = parameters.paddingMethod ?? (mode === 'ECB' ? 'None' : 'PKCS5');
      if (!isBlockPadding(padding)) throw unsupported(`the padding ${padding} is not supported for ${name}`);
      const ivBytes = mode === 'ECB' ? undefined : block.blockBytes;
      return blockCipher({ name, openssl: `${openssl}-${mode.toLowerCase()}`, blockBytes: block.blockBytes, ivBytes, padding });
    }
  }
}

function checkKey(name: string, allowed: readonly number[], keyBytes: number): void {
  if (allowed.includes(keyBytes)) return;
  throw new CryptoError('invalid', `${name} takes a key of ${allowed.map((bytes) => bytes * 8).join(' or ')} bits, this one has ${keyBytes * 8}`);
}

function unsupported(message: string): CryptoError {
  return new CryptoError('unsupported', message);
}
