// Where a run takes place: the cluster, and everybody who asks it.
import { CLIENT_AUTH, makeCertificate } from '../test/certificates.ts';
import { Caller, type Manners } from './caller.ts';
import type { Client, Voice } from './clients/client.ts';
import { type Cluster, makeCluster } from './cluster.ts';
import { ListenerConnection } from './listener-connection.ts';
import type { Node } from './node.ts';
import type { SoakOptions } from './options.ts';
import { type Random, seeded } from './seeded.ts';
import { Tally } from './tally.ts';

export interface World extends Cluster {
  readonly store: SoakOptions['store'];
  readonly random: Random;
  readonly tally: Tally;
  readonly manners: Manners;
  /** Asks the first node, with a certificate; nobody hangs up on the operator, and nothing of it is counted. */
  readonly operator: Caller;
  /** @param root session cookie of the super admin */
  client(name: string, root: string): Promise<Client>;
}

export async function makeWorld(options: Pick<SoakOptions, 'store' | 'seed' | 'faults'>): Promise<World> {
  const cluster = await makeCluster(options);
  const { nodes, authority } = cluster;
  const [tally, random] = [new Tally(), seeded(options.seed)];
  const manners: Manners = { hangUps: 0 };
  const voices: Voice[] = [];
  const voiceOf = async (node: Node, name: string, way: { readonly tally: Tally; readonly manners: Manners }): Promise<Voice> => {
    const { cert, key } = await makeCertificate(`CN=${name}`, { issuer: authority, usage: CLIENT_AUTH });
    const certificate = { name, cert, key };
    const voice = {
      caller: new Caller(node, authority.cert, certificate, way),
      listener: new ListenerConnection(node, authority.cert, certificate, way.tally),
    };
    voices.push(voice);
    return voice;
  };
  const operator = await voiceOf(nodes[0] as Node, 'operator', { tally: new Tally(), manners: { hangUps: 0 } });
  return {
    ...cluster,
    ...{ store: options.store, random, tally, manners, operator: operator.caller },
    async client(name, root) {
      const all = await Promise.all(nodes.map((node) => voiceOf(node, name, { tally, manners })));
      return { name, voices: all, random: seeded(random.below(2 ** 31)), tally, root };
    },
    async end() {
      for (const { caller, listener } of voices) {
        listener.close();
        await caller.close();
      }
      await cluster.end();
    },
  };
}
