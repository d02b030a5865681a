// SoftHSM tokens of a test's own, in a folder of its own.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './server.ts';
import { SOFTHSM_LIBRARY } from './system.ts';

export interface SoftHsm {
  readonly folder: string;
  /** Makes a token. @returns its slot ID */
  addToken(label: string, pin: string): number;
  /**
   * Works on a token without the server, as a vendor's tool does: `labels(CLASS)`, `destroy(CLASS, LABEL)`, `aes(NAME, CKA_ID)`, `pair(NAME)`, `flags(NAME, CKAS)`.
   * @returns what the call returns
   */
  tool(slot: number, call: string): unknown;
  /** All tokens disappear, as when the device is unplugged. */
  hide(): void;
  show(): void;
  end(): void;
}

/** Sets SOFTHSM2_CONF for this process: the library reads it when it is initialised. */
export function createSoftHsm(): SoftHsm {
  const folder = temporaryFolder();
  const tokens = join(folder, 'tokens');
  mkdirSync(tokens);
  const conf = join(folder, 'softhsm2.conf');
  writeFileSync(conf, `directories.tokendir = ${tokens}\nobjectstore.backend = file\nlog.level = ERROR\n`);
  process.env['SOFTHSM2_CONF'] = conf;
  return {
    folder,
    addToken(label, pin) {
      const { stdout, stderr, status } = spawnSync('softhsm2-util', ['--init-token', '--free', '--label', label, '--so-pin', 'so-pin-1234', '--pin', pin], {
        encoding: 'utf8',
        env: { ...process.env },
      });
      const slot = /reassigned to slot (\d+)/.exec(stdout)?.[1];
      if (status !== 0 || slot === undefined) throw new Error(`softhsm2-util failed: ${stdout}${stderr}`);
      return Number(slot);
    },
    tool: (slot, call) => JSON.parse(execFileSync(process.execPath, ['-e', TOOL.replace('SLOT', `${slot}n`).replace('CALL', call)], { encoding: 'utf8' })),
    hide() {
      renameSync(tokens, `${tokens}.away`);
      mkdirSync(tokens);
    },
    show() {
      rmSync(tokens, { recursive: true });
      renameSync(`${tokens}.away`, tokens);
    },
    end: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** PIN of the tokens that are worked on so. */
const TOOL_PIN = '12345678';

/** Runs in a process and a session of its own. The numbers are those of PKCS #11: CKA_CLASS is 0, CKA_LABEL 3, CKA_ID 0x102. */
const TOOL = `
  const { PKCS11 } = require('pkcs11js');
  const p = new PKCS11();
  p.load('${SOFTHSM_LIBRARY}');
  p.C_Initialize();
  const slot = p.C_GetSlotList(true).find((each) => each.readBigUInt64LE() === SLOT);
  const s = p.C_OpenSession(slot, 6);
  p.C_Login(s, 1, '${TOOL_PIN}');
  const find = (template) => { p.C_FindObjectsInit(s, template); const found = p.C_FindObjects(s, 1000); p.C_FindObjectsFinal(s); return found; };
  const named = (name, id = Buffer.from(name)) => [{ type: 0x102, value: id }, { type: 3, value: name }, { type: 1, value: true }];
  // SoftHSM finds an object that another process is writing, or has just destroyed, and says of it CKR_OBJECT_HANDLE_INVALID.
  const told = (read) => { try { return [read()]; } catch (error) { if (error.code === 0x82) return []; throw error; } };
  const labels = (kind) => find([{ type: 0, value: kind }]).flatMap((o) => told(() => p.C_GetAttributeValue(s, o, [{ type: 3 }])[0].value.toString()));
  const destroy = (kind, label) => find([{ type: 0, value: kind }, { type: 3, value: label }]).map((o) => p.C_DestroyObject(s, o)).length;
  const aes = (name, id) => p.C_GenerateKey(s, { mechanism: 0x1080 }, [...named(name, id), { type: 0x161, value: 32 }, { type: 2, value: true },
    { type: 0x104, value: true }, { type: 0x105, value: true }]).length;
  const flags = (name, types) => p.C_GetAttributeValue(s, find([{ type: 3, value: name }])[0], types.map((type) => ({ type }))).map(({ value }) => value[0] === 1);
  const pair = (name) => p.C_GenerateKeyPair(s, { mechanism: 0x1040 },
    [...named(name), { type: 0x10a, value: true }, { type: 0x180, value: Buffer.from('06082a8648ce3d030107', 'hex') }],
    [...named(name), { type: 0x108, value: true }, { type: 2, value: true }, { type: 0x103, value: true }]) && true;
  console.log(JSON.stringify(CALL));`;
