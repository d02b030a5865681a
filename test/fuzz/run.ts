// `npm run fuzz -- [seconds] [seed] [target]`: every target, or the named one, for so long each.
import { fuzz } from './target.ts';
import { TARGETS } from './targets.ts';

const [seconds = '60', seedText, wanted] = process.argv.slice(2);
const seed = seedText === undefined ? Math.floor(Math.random() * 0x7fff_ffff) : Number(seedText);
const chosen = TARGETS.filter(({ name }) => wanted === undefined || name === wanted);
if (chosen.length === 0 || !(Number(seconds) > 0) || !Number.isInteger(seed)) {
  console.error(`usage: npm run fuzz -- [seconds] [seed] [${TARGETS.map(({ name }) => name).join('|')}]`);
  process.exit(1);
}
for (const target of chosen) {
  console.log(`${target.name}: seed ${seed}`);
  console.log(`${target.name}: ${await fuzz(target, Number(seconds) * 1000, seed)} inputs`);
}
