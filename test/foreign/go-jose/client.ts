// go-jose, whose mathematics is that of Go and not OpenSSL's: what it seals and signs /v1/crypto opens and verifies, and the other way round.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { signInAdmin, startServer } from '../../server.ts';
import type { ForeignClient } from '../client.ts';
import { goProgram } from '../program.ts';
import { tour } from '../tour.ts';

export const GO_JOSE: ForeignClient = {
  name: 'go-jose',
  prepare: (folder) => goProgram(folder, fileURLToPath(new URL('module', import.meta.url))),
  async run(folder) {
    const server = await startServer();
    try {
      const facts = { address: server.address, ca: join(server.dataDir, 'tls', 'cert.pem'), session: await signInAdmin(server) };
      const file = join(folder, 'facts.json');
      writeFileSync(file, JSON.stringify(facts));
      return await tour(join(folder, 'program'), [file], folder);
    } finally {
      await server.end();
    }
  },
};
