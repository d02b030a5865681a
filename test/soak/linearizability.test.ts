// The checker of histories: known-good and known-bad histories of every model, and the verdict of a plain search on thousands of random ones.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import type { Operation } from '../../soak/history.ts';
import { check } from '../../soak/linearizability.ts';
import type { Model } from '../../soak/model.ts';
import { secretId, usageLimit } from '../../soak/models/counted.ts';
import { GRANT } from '../../soak/models/grant.ts';
import { KEY_STATE } from '../../soak/models/key-state.ts';
import { SESSION, TOKEN } from '../../soak/models/revocable.ts';
import { seeded } from '../../soak/seeded.ts';

/** `name:output` with the moments of call and answer; without an output there was no answer. */
type Written = readonly [deed: string, called: number, answered?: number];

function historyOf(all: readonly Written[]): Operation[] {
  return all.map(([deed, called, answered = Number.POSITIVE_INFINITY]) => {
    const [name = '', output] = deed.split(':');
    return { client: 'c', name, output: output === undefined || output === '' ? undefined : /^\d+$/.test(output) ? Number(output) : output, called, answered };
  });
}

const isGood = (model: Model, all: readonly Written[]) => check(model, historyOf(all)).isLinearizable;

const GOOD: readonly (readonly [title: string, model: Model, history: readonly Written[]])[] = [
  [
    'uses before and after the end of a session',
    SESSION,
    [
      ['use:accepted', 1, 2],
      ['end:ended', 3, 4],
      ['use:refused', 5, 6],
    ],
  ],
  [
    'a use beside the end may be accepted, also after one that was refused had begun',
    SESSION,
    [
      ['end:ended', 1, 9],
      ['use:refused', 4, 6],
      ['use:accepted', 2, 5],
    ],
  ],
  [
    'an end without an answer that happens late',
    SESSION,
    [
      ['end', 1],
      ['use:accepted', 2, 3],
      ['use:accepted', 4, 5],
      ['use:refused', 6, 7],
    ],
  ],
  [
    'an end without an answer that never happens',
    SESSION,
    [
      ['end', 1],
      ['use:accepted', 2, 3],
      ['use:accepted', 4, 5],
    ],
  ],
  [
    'two ends, both answered',
    SESSION,
    [
      ['end:ended', 1, 4],
      ['end:ended', 2, 3],
      ['use:refused', 5, 6],
    ],
  ],
  [
    'a token that ends itself, once',
    TOKEN,
    [
      ['renew:accepted', 1, 2],
      ['end-itself:ended', 3, 6],
      ['end-itself:refused', 4, 5],
      ['use:refused', 7, 8],
    ],
  ],
  [
    'a secret id for two uses, of three at once',
    secretId(2),
    [
      ['use:accepted', 1, 6],
      ['use:exhausted', 2, 5],
      ['use:accepted', 3, 4],
    ],
  ],
  [
    'a use of a secret id that was lost on the way back',
    secretId(1),
    [
      ['use', 1],
      ['use:exhausted', 2, 3],
    ],
  ],
  [
    'a destroyed secret id is unknown, even if it was used up',
    secretId(1),
    [
      ['use:accepted', 1, 2],
      ['destroy:destroyed', 3, 4],
      ['use:unknown', 5, 6],
    ],
  ],
  [
    'a limit of two uses',
    usageLimit(2),
    [
      ['use:accepted', 1, 2],
      ['read:1', 3, 4],
      ['use:accepted', 5, 6],
      ['use:refused', 7, 8],
      ['read:0', 9, 10],
    ],
  ],
  [
    'the life of a key',
    KEY_STATE,
    [
      ['use:refused', 1, 2],
      ['activate:done', 3, 4],
      ['use:accepted', 5, 6],
      ['destroy:refused', 7, 8],
      ['revoke:done', 9, 10],
      ['destroy:done', 11, 12],
      ['read:Destroyed', 13, 14],
    ],
  ],
];

const GRANTS_GOOD: typeof GOOD = [
  [
    'a right that is granted, used, taken and missed',
    GRANT,
    [
      ['use:refused', 1, 2],
      ['grant:done', 3, 4],
      ['use:accepted', 5, 6],
      ['revoke:done', 7, 8],
      ['use:refused', 9, 10],
    ],
  ],
  [
    'a right that is granted and taken at once may be there or not',
    GRANT,
    [
      ['grant:done', 1, 4],
      ['revoke:done', 2, 3],
      ['use:accepted', 5, 6],
    ],
  ],
  [
    'a grant without an answer',
    GRANT,
    [
      ['grant', 1],
      ['use:refused', 2, 3],
      ['use:accepted', 4, 5],
    ],
  ],
];

const GRANTS_BAD: typeof GOOD = [
  [
    'a right that is used after it was taken',
    GRANT,
    [
      ['grant:done', 1, 2],
      ['revoke:done', 3, 4],
      ['use:accepted', 5, 6],
    ],
  ],
  [
    'a right that was granted and is missed',
    GRANT,
    [
      ['grant:done', 1, 2],
      ['use:refused', 3, 4],
    ],
  ],
  [
    'a right that comes and goes by itself',
    GRANT,
    [
      ['grant', 1],
      ['use:accepted', 2, 3],
      ['use:refused', 4, 5],
    ],
  ],
];

const BAD: readonly (readonly [title: string, model: Model, history: readonly Written[]])[] = [
  [
    'a session accepted after its end was answered',
    SESSION,
    [
      ['end:ended', 1, 2],
      ['use:accepted', 3, 4],
    ],
  ],
  [
    'accepted after another has seen that it had ended',
    SESSION,
    [
      ['end', 1],
      ['use:refused', 2, 3],
      ['use:accepted', 4, 5],
    ],
  ],
  ['refused, although nobody has ended it', SESSION, [['use:refused', 1, 2]]],
  [
    'refused before anybody wanted to end it',
    SESSION,
    [
      ['use:refused', 1, 2],
      ['end:ended', 3, 4],
    ],
  ],
  [
    'a token that is renewed after its end',
    TOKEN,
    [
      ['end-itself:ended', 1, 2],
      ['renew:accepted', 3, 4],
    ],
  ],
  [
    'a single-use secret id that was used twice at once',
    secretId(1),
    [
      ['use:accepted', 1, 4],
      ['use:accepted', 2, 3],
    ],
  ],
  [
    'a secret id that was used up without its uses',
    secretId(2),
    [
      ['use:accepted', 1, 2],
      ['use:exhausted', 3, 4],
    ],
  ],
  [
    'a secret id that lives again',
    secretId(5),
    [
      ['destroy:destroyed', 1, 2],
      ['use:accepted', 3, 4],
    ],
  ],
  [
    'a use that took nothing',
    usageLimit(2),
    [
      ['use:accepted', 1, 2],
      ['read:2', 3, 4],
    ],
  ],
  [
    'a use that took its unit twice',
    usageLimit(3),
    [
      ['use:accepted', 1, 2],
      ['read:1', 3, 4],
    ],
  ],
  [
    'a key that is active again',
    KEY_STATE,
    [
      ['activate:done', 1, 2],
      ['revoke:done', 3, 4],
      ['use:accepted', 5, 6],
    ],
  ],
  [
    'an activation that was answered and lost',
    KEY_STATE,
    [
      ['activate:done', 1, 2],
      ['read:PreActive', 3, 4],
    ],
  ],
  [
    'two activations, both done',
    KEY_STATE,
    [
      ['activate:done', 1, 4],
      ['activate:done', 2, 3],
    ],
  ],
];

for (const [title, model, history] of [...GOOD, ...GRANTS_GOOD]) test(`good: ${title}`, () => assert.ok(isGood(model, history)));
for (const [title, model, history] of [...BAD, ...GRANTS_BAD]) test(`bad: ${title}`, () => assert.ok(!isGood(model, history)));

/** Whether any order of any of the operations without an answer, with all others, keeps to calls, answers and the model. */
function plain(model: Model, all: readonly Operation[], state: unknown = model.initial): boolean {
  if (all.every(({ output }) => output === undefined)) return true;
  return all.some((next) => {
    const rest = all.filter((each) => each !== next);
    if (rest.some(({ answered }) => answered < next.called)) return false;
    return model.next(state, next).some((after) => plain(model, rest, after));
  });
}

test('the verdict is that of a plain search on 4000 random histories, of which many are bad', () => {
  const models: readonly (readonly [Model, readonly string[]])[] = [
    [SESSION, ['use:accepted', 'use:refused', 'end:ended', 'end:']],
    [secretId(2), ['use:accepted', 'use:exhausted', 'use:unknown', 'use:', 'destroy:destroyed', 'destroy:']],
    [usageLimit(3), ['use:accepted', 'use:refused', 'use:', 'read:2', 'read:1', 'read:0']],
    [KEY_STATE, ['activate:done', 'activate:refused', 'activate:', 'revoke:done', 'revoke:', 'destroy:done', 'destroy:refused', 'use:accepted', 'use:refused']],
  ];
  const random = seeded(16);
  let bad = 0;
  for (let round = 0; round < 4_000; round++) {
    const [model, deeds] = models[round % models.length] as (typeof models)[number];
    const length = 3 + random.below(4);
    const history = historyOf(
      Array.from({ length }, (_, at): Written => {
        const deed = random.pick(deeds);
        const called = random.below(12) + at / 100;
        return deed.endsWith(':') ? [deed, called] : [deed, called, called + 0.5 + random.below(8)];
      }),
    );
    const expected = plain(model, history);
    if (!expected) bad += 1;
    assert.equal(check(model, history).isLinearizable, expected, JSON.stringify(history));
  }
  assert.ok(bad > 800 && bad < 3_600, `${bad} are bad`);
});

test('a long history with many lost answers is checked quickly, and one late lie in it is found', () => {
  const uses = 60;
  const all: Operation[] = [];
  let left = uses;
  for (let at = 0; left > 0; at++) {
    const isLost = at % 6 === 5;
    left -= isLost && at % 12 === 5 ? 0 : 1;
    const [called, answered] = [at * 10, isLost ? Number.POSITIVE_INFINITY : at * 10 + 35];
    all.push({ client: `c${at % 4}`, name: 'use', output: isLost ? undefined : 'accepted', called, answered });
  }
  const later = 10_000;
  const good = check(usageLimit(uses), [...all, { client: 'c', name: 'use', output: 'refused', called: later, answered: later + 1 }]);
  assert.ok(good.isLinearizable && good.steps < 20_000, `${good.steps} steps`);
  const short = all.filter(({ output }) => output !== undefined).length;
  const lie = check(usageLimit(short - 1), all);
  assert.ok(!lie.isLinearizable);
  assert.ok(lie.longest.length >= short - 1);
});

test('reads without an answer are left out, whatever they are', () => {
  const history = historyOf([
    ['use', 1],
    ['use', 2],
    ['end:ended', 3, 4],
    ['use:refused', 5, 6],
  ]);
  assert.equal(check(SESSION, history).longest.length, 2);
});

test.run();
