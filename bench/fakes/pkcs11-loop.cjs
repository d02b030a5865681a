// A thread that only calls PKCS#11: one operation in a loop on a token, as fast as the library goes. Arguments: library, slot ID, PIN, operation, milliseconds.
const { createCipheriv, randomBytes, createSecretKey } = require('node:crypto');
const { PKCS11 } = require('pkcs11js');

const [library, slotId, pin, operation, ms] = process.argv.slice(2);
const p = new PKCS11();
p.load(library);
const slots = () => {
  p.C_Initialize({ flags: 2 });
  return p.C_GetSlotList(true);
};
const named = (each) => each.readBigUInt64LE() === BigInt(slotId);
let slot = slots().find(named);
// SoftHSM leaves a token out into which another process writes while it looks.
for (let again = 0; slot === undefined && again < 10; again++) {
  p.C_Finalize();
  slot = slots().find(named);
}
const session = p.C_OpenSession(slot, 6);
p.C_Login(session, 1, pin);
const data = Buffer.alloc(64, 7);
// Keys on the token, as those of the server are: SoftHSM takes 20 us for AES-GCM with one of them, 8 us with one of a session. They are destroyed at
// the end. CKA_TOKEN is 1, CKA_SIGN 0x108, CKA_VERIFY 0x10a, CKA_ENCRYPT 0x104.
const made = [];
const kept = (...handles) => {
  made.push(...handles);
  return handles[0];
};
const pair = (mechanism, ...shape) => {
  const { privateKey, publicKey } = p.C_GenerateKeyPair(
    session,
    { mechanism },
    [{ type: 1, value: true }, { type: 0x10a, value: true }, ...shape],
    [
      { type: 1, value: true },
      { type: 0x108, value: true },
    ],
  );
  return kept(privateKey, publicKey);
};
const aes = () =>
  p.C_GenerateKey(session, { mechanism: 0x1080 }, [
    { type: 1, value: true },
    { type: 0x104, value: true },
    { type: 0x161, value: 32 },
  ]);
const sign = (mechanism, key, input) => () => {
  p.C_SignInit(session, { mechanism }, key);
  p.C_Sign(session, input, Buffer.alloc(512));
};
const works = {
  'aes-gcm': () => {
    const key = kept(aes());
    const iv = Buffer.alloc(12, 1);
    return () => {
      p.C_EncryptInit(session, { mechanism: 0x1087, parameter: { type: 7, iv, ivBits: 96, tagBits: 128 } }, key);
      p.C_Encrypt(session, data, Buffer.alloc(data.length + 16));
    };
  },
  // The same by OpenSSL, as the server does it with keys of its database.
  'aes-gcm in software': () => {
    const key = createSecretKey(randomBytes(32));
    const iv = Buffer.alloc(12, 1);
    return () => {
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      Buffer.concat([cipher.update(data), cipher.final()]);
      cipher.getAuthTag();
    };
  },
  'rsa-sign': () => sign(0x40, pair(0, { type: 0x121, value: 2048 }, { type: 0x122, value: Buffer.of(1, 0, 1) }), data),
  'ec-sign': () => sign(0x1041, pair(0x1040, { type: 0x180, value: Buffer.from('06082a8648ce3d030107', 'hex') }), data.subarray(32)),
  create: () => () => p.C_DestroyObject(session, aes()),
};
const work = works[operation]();
for (const until = performance.now() + Number(ms) / 10; performance.now() < until; ) work();
const cpu = process.threadCpuUsage();
const begin = performance.now();
let count = 0;
for (; performance.now() - begin < Number(ms); count++) work();
const seconds = (performance.now() - begin) / 1000;
const { user, system } = process.threadCpuUsage(cpu);
console.log(JSON.stringify({ perSecond: count / seconds, cpuUs: (user + system) / count }));
for (const handle of made) p.C_DestroyObject(session, handle);
p.C_Finalize();
