// Authenticated encryption and ChaCha20 against the answers that NIST and the RFCs publish.
import { test } from 'uvu';
import { both } from '../known-answer.ts';

const GCM = { blockCipherMode: 'GCM', tagLength: 16 } as const;
const GCM_KEY = 'feffe9928665731c6d6a8f9467308308';
const GCM_TEXT = 'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39';
const GCM_AAD = 'feedfacedeadbeeffeedfacedeadbeefabaddad2';
both('GCM test case 1: nothing', GCM, { key: '00'.repeat(16), iv: '00'.repeat(12), plaintext: '', ciphertext: '', tag: '58e2fccefa7e3061367f1d57a4e7455a' });
both('GCM test case 2', GCM, {
  ...{ key: '00'.repeat(16), iv: '00'.repeat(12), plaintext: '00'.repeat(16) },
  ...{ ciphertext: '0388dace60b6a392f328c2b971b2fe78', tag: 'ab6e47d42cec13bdf53a67b21257bddf' },
});
both('GCM test case 4: additional data', GCM, {
  ...{ key: GCM_KEY, iv: 'cafebabefacedbaddecaf888', aad: GCM_AAD, plaintext: GCM_TEXT, tag: '5bc94fbc3221a5db94fae95ae7121a47' },
  ciphertext: '42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091',
});
both('GCM test case 5: a nonce of 8 bytes', GCM, {
  ...{ key: GCM_KEY, iv: 'cafebabefacedbad', aad: GCM_AAD, plaintext: GCM_TEXT, tag: '3612d2e79e3b0785561be14aaca2fccb' },
  ciphertext: '61353b4c2806934a777ff51fa22a4755699b2a714fcdc6f83766e5f97b6c742373806900e49f24b22b097544d4896b424989b5e1ebac0f07c23f4598',
});
both(
  'GCM test case 16: a key of 256 bits, and GCM is what AES does without a mode',
  {},
  {
    ...{ key: GCM_KEY.repeat(2), iv: 'cafebabefacedbaddecaf888', aad: GCM_AAD, plaintext: GCM_TEXT, tag: '76fc6ece0f4e1768cddf8853bb2d551b' },
    ciphertext: '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662',
  },
);

const CCM_KEY = '404142434445464748494a4b4c4d4e4f';
both(
  'SP 800-38C example 1: CCM with a tag of 4 bytes',
  { blockCipherMode: 'CCM', tagLength: 4 },
  {
    ...{ key: CCM_KEY, iv: '10111213141516', aad: '0001020304050607', plaintext: '20212223', ciphertext: '7162015b', tag: '4dac255d' },
  },
);
both(
  'SP 800-38C example 2: CCM with a tag of 6 bytes',
  { blockCipherMode: 'CCM', tagLength: 6 },
  {
    ...{ key: CCM_KEY, iv: '1011121314151617', aad: '000102030405060708090a0b0c0d0e0f', plaintext: '202122232425262728292a2b2c2d2e2f' },
    ...{ ciphertext: 'd2a1f0e051ea5f62081a7792073d593d', tag: '1fc64fbfaccd' },
  },
);

both(
  'RFC 8452 C.1: GCM-SIV of nothing',
  { blockCipherMode: 'GCMSIV' },
  {
    ...{ key: `01${'00'.repeat(15)}`, iv: `03${'00'.repeat(11)}`, plaintext: '', ciphertext: '', tag: 'dc20e2d83f25705bb49e439eca56de25' },
  },
);
both(
  'RFC 8452 C.1: GCM-SIV of 8 bytes',
  { blockCipherMode: 'GCMSIV' },
  {
    ...{ key: `01${'00'.repeat(15)}`, iv: `03${'00'.repeat(11)}`, plaintext: '0100000000000000' },
    ...{ ciphertext: 'b5d839330ac7b786', tag: '578782fff6013b815b287c22493a364c' },
  },
);
both(
  'RFC 8452 C.2: GCM-SIV with a key of 256 bits',
  { blockCipherMode: 'GCMSIV' },
  {
    ...{ key: `01${'00'.repeat(31)}`, iv: `03${'00'.repeat(11)}`, plaintext: '0100000000000000' },
    ...{ ciphertext: 'c2ef328e5c71c83b', tag: '843122130f7364b761e0b97427e3df28' },
  },
);

const SUNSCREEN = Buffer.from("Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.").toString(
  'hex',
);
both(
  'RFC 8439 2.4.2: ChaCha20 from counter 1',
  { initialCounterValue: 1 },
  {
    ...{ algorithm: 'ChaCha20', key: '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f', iv: '000000000000004a00000000', plaintext: SUNSCREEN },
    ciphertext:
      '6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0bf91b65c5524733ab8f593dabcd62b3571639d624e65152ab8f530c359f0861d8' +
      '07ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab77937365af90bbf74a35be6b40b8eedf2785e42874d',
  },
);
both(
  'the first block of the original ChaCha20, with a nonce of 8 bytes',
  {},
  {
    ...{ algorithm: 'ChaCha20', key: '00'.repeat(32), iv: '00'.repeat(8), plaintext: '00'.repeat(32) },
    ciphertext: '76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7',
  },
);
both(
  'RFC 8439 2.8.2: ChaCha20-Poly1305',
  { blockCipherMode: 'AEAD' },
  {
    ...{ algorithm: 'ChaCha20Poly1305', key: '808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f' },
    ...{ iv: '070000004041424344454647', aad: '50515253c0c1c2c3c4c5c6c7', plaintext: SUNSCREEN, tag: '1ae10b594f09e26a7e902ecbd0600691' },
    ciphertext:
      'd31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36' +
      '92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc3ff4def08e4b7a9de576d26586cec64b6116',
  },
);

test.run();
