// libmongocrypt, by which the drivers of MongoDB encrypt fields of documents: its master keys are those of the TLS listener.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ForeignClient } from '../client.ts';
import { pythonEnvironment } from '../program.ts';
import { startListening } from '../pykmip/visit.ts';
import { tour } from '../tour.ts';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export const LIBMONGOCRYPT: ForeignClient = {
  name: 'libmongocrypt',
  prepare: (folder) => pythonEnvironment(folder, file('requirements.txt')),
  async run(folder) {
    const server = await startListening();
    try {
      const person = async (name: string) => {
        const { cert, key } = await server.client(`${name}@acme.com`);
        return { cert: server.file(`${name}.pem`, cert), key: server.file(`${name}.key`, key) };
      };
      const ca = server.file('authority.pem', server.authority.cert);
      const facts = { endpoint: `127.0.0.1:${server.kmipPort()}`, ca, ann: await person('ann'), bob: await person('bob') };
      const told = join(folder, 'facts.json');
      writeFileSync(told, JSON.stringify(facts));
      return await tour(join(folder, 'python', 'bin', 'python'), [file('tour.py'), told], folder);
    } finally {
      await server.end();
    }
  },
};
