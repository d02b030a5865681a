// What a client is told when it is refused: what is wrong, by its name, and what to do where something can be done.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent } from 'undici';
import { test } from 'uvu';
import { decodeBinary } from '../../../kmip/ttlv/binary.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { dateTime, enumeration, integer, type Node, type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { structureOf, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Made } from '../../certificates.ts';
import { type SecureServer, startSecureServer } from '../../secure-server.ts';
import { KmipClient, textIn } from './kmip-client.ts';

let server: SecureServer;
let alice: Made;
let agent: Agent;
let client: KmipClient;
test.before(async () => {
  server = await startSecureServer({ config: '[keys.kmip_listener]\nenabled = true\nport = 0\n' });
  alice = await server.client('alice');
  agent = new Agent({ connect: { ca: server.authority.cert, cert: alice.cert, key: alice.key } });
  client = new KmipClient({ address: server.address, agent }, { major: 2, minor: 1, encoding: 'json' });
});
test.after(async () => {
  await agent?.close();
  await server?.end();
});

const ID = (id: string): Node => text(TAG.UniqueIdentifier, id);

async function key(): Promise<string> {
  const attributes = [
    enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.AES),
    integer(TAG.CryptographicLength, 128),
    integer(TAG.CryptographicUsageMask, MASK.CryptographicUsageMask.Encrypt),
  ];
  const payload = await client.do('Create', enumeration(TAG.ObjectType, ENUM.ObjectType.SymmetricKey), structure(TAG.Attributes, attributes));
  return textIn(payload, TAG.UniqueIdentifier);
}

async function told(operation: Parameters<KmipClient['ask']>[0], ...payload: Node[]): Promise<string> {
  const { status, item } = await client.ask(operation, ...payload);
  assert.equal(status, 'OperationFailed', operation);
  return textIn(item, TAG.ResultMessage);
}

/** The message that the listener answers the first bytes of a connection with, before it ends the connection. */
async function heard(hex: string): Promise<string | undefined> {
  const socket = server.dial(server.kmipPort(), alice);
  await once(socket, 'secureConnect');
  socket.write(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return textOf(structureOf(decodeBinary(Buffer.concat(chunks)), TAG.BatchItem) as Structure, TAG.ResultMessage);
}

test('a message that is too long, and one that is none', async () => {
  assert.equal(await heard('420078 01 042c1d80 42007701 00000038'), 'the message has 70000008 bytes; at most 64 MiB are allowed');
  assert.equal(await heard('42007b 01 00000008 4200770100000000'), 'the message is a ResponseMessage; it must be a RequestMessage');
  assert.equal(await heard('474554 20 2f204854 54502f312e310d0a'), 'the message is a 0x474554; it must be a RequestMessage');
  assert.equal(await heard('420078 02 00000008 0000000100000000'), 'RequestMessage must be a Structure');
});

test('what the state of a key is in the way of', async () => {
  const id = await key();
  await client.do('Activate', ID(id));
  assert.match(await told('Activate', ID(id)), /is already Active$/);
  assert.match(await told('Destroy', ID(id)), new RegExp(`${id} is Active; revoke it before you destroy it$`));
  const reason = structure(TAG.RevocationReason, [enumeration(TAG.RevocationReasonCode, ENUM.RevocationReasonCode.Superseded)]);
  await client.do('Revoke', ID(id), reason);
  assert.match(await told('Activate', ID(id)), new RegExp(`${id} is Deactivated and cannot be activated$`));
  await client.do('Destroy', ID(id));
  assert.match(await told('Activate', ID(id)), /destroyed/i);
});

test('attributes that the server manages, and those that were set when the object was made', async () => {
  const id = await key();
  const given = (node: Node) => structure(TAG.NewAttribute, [node]);
  for (const operation of ['SetAttribute', 'ModifyAttribute'] as const) {
    assert.match(await told(operation, ID(id), given(enumeration(TAG.State, ENUM.State.Active))), /State is server-managed$/);
    const length = await told(operation, ID(id), given(integer(TAG.CryptographicLength, 256)));
    assert.match(length, /CryptographicLength can be set only when the object is created$/);
    const algorithm = given(enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.DES3));
    assert.match(await told(operation, ID(id), algorithm), /CryptographicAlgorithm can be set only when the object is created/);
  }
  assert.match(
    await told('DeleteAttribute', ID(id), enumeration(TAG.AttributeReference, TAG.CryptographicLength)),
    /can be set only when the object is created/,
  );
});

test('attributes that may be added later are not said to be set only when the object is made', async () => {
  const id = await key();
  const given = (node: Node) => structure(TAG.NewAttribute, [node]);
  const reference = (tag: number) => enumeration(TAG.AttributeReference, tag);
  await client.do('AddAttribute', ID(id), given(dateTime(TAG.DeactivationDate, 4_000_000_000)));
  assert.match(await told('DeleteAttribute', ID(id), reference(TAG.DeactivationDate)), /DeactivationDate cannot be deleted$/);
  const kind = (of: number) => given(enumeration(TAG.NISTKeyType, of));
  await client.do('AddAttribute', ID(id), kind(ENUM.NISTKeyType.SymmetricDataEncryptionKey));
  const changes = [
    () => told('ModifyAttribute', ID(id), kind(ENUM.NISTKeyType.SymmetricKeyWrappingKey)),
    () => told('DeleteAttribute', ID(id), reference(TAG.NISTKeyType)),
  ];
  for (const change of changes) assert.match(await change(), /NISTKeyType cannot be changed or deleted once it is set$/);
  const servers = structure(TAG.Attribute, [text(TAG.VendorIdentification, 'y'), text(TAG.AttributeName, 'a'), text(TAG.AttributeValue, 'b')]);
  assert.match(await told('AddAttribute', ID(id), given(servers)), /Attribute of the vendor y is server-managed$/);
});

test.run();
