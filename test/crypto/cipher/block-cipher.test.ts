// Unauthenticated ciphers and key wrap against the answers that NIST, IEEE and the RFCs publish.
import { equal, throws } from 'node:assert/strict';
import { test } from 'uvu';
import { cipherFor } from '../../../crypto/cipher/cipher.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import type { BlockCipherMode } from '../../../crypto/parameters.ts';
import { both } from '../known-answer.ts';

// NIST SP 800-38A appendix F: one text under three keys.
const KEY = {
  128: '2b7e151628aed2a6abf7158809cf4f3c',
  192: '8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b',
  256: '603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4',
};
const TEXT = '6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710';
const IV = '000102030405060708090a0b0c0d0e0f';
const COUNTER = 'f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff';
const F: [string, BlockCipherMode, keyof typeof KEY, string][] = [
  ['F.1.1', 'ECB', 128, '3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4'],
  ['F.1.5', 'ECB', 256, 'f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870b6ed21b99ca6f4f9f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7'],
  ['F.2.1', 'CBC', 128, '7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b273bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7'],
  ['F.2.3', 'CBC', 192, '4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd'],
  ['F.2.5', 'CBC', 256, 'f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b'],
  ['F.3.13', 'CFB', 128, '3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93fcde3cdad9f1ce58b26751f67a3cbb140b1808cf187a4f4dfc04b05357c5d1c0eeac4c66f9ff7f2e6'],
  ['F.4.1', 'OFB', 128, '3b3fd92eb72dad20333449f8e83cfb4a7789508d16918f03f53c52dac54ed8259740051e9c5fecf64344f7a82260edcc304c6528f659c77866a510d9c1d6ae5e'],
  ['F.5.1', 'CTR', 128, '874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee'],
  ['F.5.5', 'CTR', 256, '601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c52b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6'],
];
for (const [name, blockCipherMode, bits, ciphertext] of F) {
  const iv = blockCipherMode === 'ECB' ? {} : { iv: blockCipherMode === 'CTR' ? COUNTER : IV };
  both(
    `SP 800-38A ${name}, AES-${bits}-${blockCipherMode}`,
    { blockCipherMode, paddingMethod: 'None' },
    { key: KEY[bits], plaintext: TEXT, ciphertext, ...iv },
  );
}

both(
  'RFC 3686 test vector 2: CTR with a nonce of 12 bytes and the counter from 1',
  { blockCipherMode: 'CTR', initialCounterValue: 1 },
  {
    ...{ key: '7e24067817fae0d743d6ce1f32539163', iv: '006cb6dbc0543b59da48d90b' },
    plaintext: '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f',
    ciphertext: '5104a106168a72d9790d41ee8edad388eb2e1efc46da57c8fce630df9141be28',
  },
);

test('CTR goes no further than the numbers of CounterLength bits, which it would use again', () => {
  const key = Buffer.alloc(16, 1);
  const ctr = (counterLength: number) => cipherFor('AES', { blockCipherMode: 'CTR', counterLength }, 16);
  const of = (bytes: number, counter: string) => ({ data: Buffer.alloc(bytes), iv: Buffer.from(counter, 'hex'), aad: undefined });
  const last = `${'aa'.repeat(15)}fe`;
  const whole = cipherFor('AES', { blockCipherMode: 'CTR' }, 16).encrypt(key, of(48, last)).data;
  equal(Buffer.from(ctr(8).encrypt(key, of(32, last)).data).compare(whole.subarray(0, 32)), 0);
  equal(Buffer.from(ctr(9).encrypt(key, of(48, last)).data).compare(whole), 0);
  equal(ctr(128).encrypt(key, of(48, 'ff'.repeat(16))).data.length, 48);
  const tooMuch = (error: unknown) => error instanceof CryptoError && error.code === 'invalid' && /^the counter has numbers for 32 bytes/.test(error.message);
  throws(() => ctr(8).encrypt(key, of(33, last)), tooMuch);
  throws(() => ctr(8).decrypt(key, of(33, last)), tooMuch);
  const stream = ctr(8).encryptor?.(key, of(0, last));
  stream?.update(Buffer.alloc(32));
  throws(() => stream?.update(Buffer.alloc(1)), tooMuch);
  for (const bits of [-1, 0, 129]) throws(() => ctr(bits), /CounterLength must be 1 to 128 bits/);
});

both(
  'IEEE 1619 vector 2: XTS',
  { blockCipherMode: 'XTS' },
  {
    ...{ key: '11'.repeat(16) + '22'.repeat(16), iv: `3333333333${'00'.repeat(11)}`, plaintext: '44'.repeat(32) },
    ciphertext: 'c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0',
  },
);
both(
  'IEEE 1619 vector 15: XTS steals ciphertext for 17 bytes',
  { blockCipherMode: 'XTS' },
  {
    ...{ key: 'fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0', iv: `9a78563412${'00'.repeat(11)}` },
    ...{ plaintext: '000102030405060708090a0b0c0d0e0f10', ciphertext: '6c1625db4671522d3d7599601de7ca09ed' },
  },
);

const WRAPPED = '00112233445566778899aabbccddeeff';
both(
  'RFC 3394 4.1',
  { blockCipherMode: 'NISTKeyWrap' },
  {
    ...{ key: '000102030405060708090a0b0c0d0e0f', plaintext: WRAPPED, ciphertext: '1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5' },
  },
);
both(
  'RFC 3394 4.6',
  { blockCipherMode: 'NISTKeyWrap' },
  {
    ...{ key: '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f', plaintext: `${WRAPPED}000102030405060708090a0b0c0d0e0f` },
    ciphertext: '28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21',
  },
);
both(
  'RFC 5649 section 6: 20 bytes',
  { blockCipherMode: 'AESKeyWrapPadding' },
  {
    ...{ key: '5840df6e29b02af1ab493b705bf16ea1ae8338f4dcc176a8', plaintext: 'c37b7e6492584340bed12207808941155068f738' },
    ciphertext: '138bdeaa9b8fa7fc61f97742e72248ee5ae6ae5360d1ae6a5f54f373fa543b6a',
  },
);
both(
  'RFC 5649 section 6: 7 bytes',
  { blockCipherMode: 'AESKeyWrapPadding' },
  {
    ...{ key: '5840df6e29b02af1ab493b705bf16ea1ae8338f4dcc176a8', plaintext: '466f7250617369', ciphertext: 'afbeb0f07dfbf5419200f2ccb50bb24f' },
  },
);

both(
  'SP 800-67: 3DES',
  { blockCipherMode: 'ECB' },
  {
    ...{ algorithm: 'DES3', key: '0123456789abcdef23456789abcdef01456789abcdef0123', plaintext: '5468652071756663', ciphertext: 'a826fd8ce53b855f' },
  },
);
both(
  'RFC 3713: Camellia',
  { blockCipherMode: 'ECB' },
  {
    ...{ algorithm: 'Camellia', key: '0123456789abcdeffedcba9876543210', plaintext: '0123456789abcdeffedcba9876543210' },
    ciphertext: '67673138549669730857065648eabe43',
  },
);
both(
  'RFC 5794: ARIA',
  { blockCipherMode: 'ECB' },
  {
    ...{ algorithm: 'ARIA', key: IV, plaintext: WRAPPED, ciphertext: 'd718fbd6ab644c739da95f3be6451778' },
  },
);
both(
  'GB/T 32907: SM4',
  { blockCipherMode: 'ECB' },
  {
    ...{ algorithm: 'SM4', key: '0123456789abcdeffedcba9876543210', plaintext: '0123456789abcdeffedcba9876543210' },
    ciphertext: '681edf34d206965e86b3e94f536e4246',
  },
);

test.run();
