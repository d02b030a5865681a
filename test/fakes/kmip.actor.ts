// A kmip actor that echoes what it was given, refuses what its name says, and takes as long as a test wants.
import type { KmipApi, KmipArgs, Principal } from '../../actors/kmip/api.ts';
import { defineActor } from '../../kernel/actor.ts';
import { Fault } from '../../kernel/fault.ts';

const json = (value: unknown) => new Uint8Array(Buffer.from(JSON.stringify(value)));

/** `KEYS_...` as the name of an object or a user is thrown. */
function refuse(...names: readonly (string | undefined)[]): void {
  const code = names.find((name) => name?.startsWith('KEYS_'));
  if (code !== undefined) throw new Fault(code);
}

export default defineActor<KmipApi, KmipArgs>((args, ctx) => {
  let rotations = 0;
  const rights = { user: '', operations: [] as readonly string[] };
  return {
    api: {
      async serve(message, encoding, endpoint, caller) {
        const text = Buffer.from(message).toString('latin1');
        if (text.includes('FAULT')) throw new Fault('OVERLOADED');
        if (text.includes('BUG')) throw new TypeError('a bug');
        // Binary comes back as it went, with the name of who asks behind it.
        if (encoding === 'binary') {
          const name = Buffer.from(`<${caller.user}>`);
          return { status: 200, body: new Uint8Array(Buffer.concat([message, name])), outcomes: ['Create:Success', 'Get:Item_Not_Found'] };
        }
        const status = text.includes('REFUSED') ? 422 : 200;
        return { status, body: json({ encoding, endpoint, caller, length: message.byteLength, text: text.slice(0, 200), args }), outcomes: ['Create:Success'] };
      },
      async crypto(call, body, caller) {
        const kid = 'kid' in call ? call.kid : undefined;
        refuse(kid);
        if (call.name === 'deleteKey') return { status: 204, body: new Uint8Array(0), outcomes: ['Destroy:Success'] };
        return { status: 200, body: json({ call, body: Buffer.from(body).toString(), caller }), outcomes: ['Encrypt:Success'] };
      },
      async listOwned(caller: Principal) {
        return { items: [{ object_id: 'one', state: 'Active', attributes: { owner: caller.user } }], next: undefined };
      },
      async listObtained(caller) {
        return { items: [{ object_id: 'two', owner_id: caller.user, state: 'Active', operations: ['get'] }], next: undefined };
      },
      async grantees(id, caller) {
        refuse(id);
        return { items: [{ user_id: `${caller.user} on ${id}`, operations: rights.operations }], next: undefined };
      },
      async grant(id, user, operations) {
        refuse(id, user);
        Object.assign(rights, { user, operations });
      },
      async revoke(id, user) {
        refuse(id, user);
      },
      mayCreate: async () => true,
      isPrivileged: async (caller) => args.privilegedUsers.includes(caller.user),
      check: async (_id, user, operations) => Object.fromEntries(operations.map((operation) => [`${operation} ${user ?? 'own'}`, true])),
      tombstones: async () => ({ tombstones: [], next: null }),
      transfer: async () => ({ transferred: 0, remaining: 0 }),
      destroyOwned: async () => ({ destroyed: 0, remaining: 0 }),
      noteRefusals: async () => {},
      purgeTickets: async () => 0,
      runSubmitted: async () => {},
      tendAsynchronous: async () => {},
      async rotateDue() {
        rotations += 1;
        ctx.report({ ready: true, detail: rotations });
        return rotations;
      },
    },
  };
});
