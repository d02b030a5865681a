// Checks that what a module exports is the description of an HSM model.
import { validate } from '../../kernel/config/validate.ts';
import Type from '../../kernel/type.ts';
import { CKA, CKM } from '../../kmip/pkcs11.ts';
import type { HsmModel } from './model.ts';

const NAME = Type.String({ minLength: 1, maxLength: 200 });
const VARIABLE = Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$', description: 'the name of a variable: letters, digits and _, but no digit in front' });
const PATHS = Type.Array(Type.String({ minLength: 1 }));
const strict = { additionalProperties: false };
const CHANGES = Type.Record(Type.String(), Type.Unsafe<boolean | null>({ type: ['boolean', 'null'] }));
/** Of one instance; each has 13 MB. */
export const MAX_THREADS = 16;
const QUIRKS = Type.Object(
  {
    searchBatch: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
    maxDataBytes: Type.Optional(Type.Integer({ minimum: 16 })),
    missingMechanisms: Type.Optional(Type.Array(NAME)),
    wholeMechanisms: Type.Optional(Type.Array(NAME)),
    choosesGcmIv: Type.Optional(Type.Boolean()),
    ignoresOaepLabel: Type.Optional(Type.Boolean()),
    endsOaepLabel: Type.Optional(Type.Boolean()),
    oneOaepHash: Type.Optional(Type.Boolean()),
    oneAtATime: Type.Optional(Type.Boolean()),
    searchesInTurn: Type.Optional(Type.Boolean()),
    threads: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_THREADS })),
    attributes: Type.Optional(Type.Object({ secret: Type.Optional(CHANGES), private: Type.Optional(CHANGES), public: Type.Optional(CHANGES) }, strict)),
  },
  strict,
);
const MODEL = Type.Object(
  {
    model: Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$', description: '1 to 40 lower-case letters, digits and _, with a letter in front' }),
    about: NAME,
    libraries: Type.Object({ linux: Type.Optional(PATHS), darwin: Type.Optional(PATHS) }, { ...strict, minProperties: 1 }),
    libraryVariable: Type.Optional(VARIABLE),
    env: Type.Array(VARIABLE),
    initializeText: Type.Optional(NAME),
    quirks: Type.Optional(QUIRKS),
    hints: Type.Optional(Type.Object({ library: Type.Optional(NAME), token: Type.Optional(NAME), pin: Type.Optional(NAME) }, strict)),
  },
  strict,
);

interface Checked {
  /** Undefined if there are problems. */
  readonly model: HsmModel | undefined;
  readonly problems: readonly string[];
}

/** @param from where the value comes from, with which problems begin */
export function checkModel(value: unknown, from: string): Checked {
  if (typeof value !== 'object' || value === null) return { model: undefined, problems: [`${from}: must have a default export made by defineHsmModel`] };
  try {
    structuredClone(value);
  } catch {
    return { model: undefined, problems: [`${from}: a model must be plain data, without functions`] };
  }
  const checked = validate(value, MODEL, 'model');
  const problems = checked.problems.map((problem) => `${from}: ${problem}`);
  if (problems.length > 0) return { model: undefined, problems };
  const model = checked.value as HsmModel;
  const more = contentProblems(model).map((problem) => `${from}: ${problem}`);
  return { model: more.length > 0 ? undefined : model, problems: more };
}

function contentProblems({ model, env, initializeText = '', quirks = {} }: HsmModel): string[] {
  const mechanisms = (['missingMechanisms', 'wholeMechanisms'] as const).flatMap((quirk) =>
    (quirks[quirk] ?? []).filter((name) => CKM[name] === undefined).map((name) => `model.quirks.${quirk}: this server uses no mechanism ${name}`),
  );
  const attributes = Object.values(quirks.attributes ?? {}).flatMap((changes) =>
    Object.keys(changes).filter((name) => !(name in CKA || /^0x[0-9a-f]{1,8}$/.test(name))),
  );
  const variables = [...initializeText.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string).filter((name) => !env.includes(name));
  return [
    ...(/_\d+$/.test(model) ? [`model.model: must not end in _ and digits, which number further instances: ${model}`] : []),
    ...mechanisms,
    ...attributes.map(
      (name) => `model.quirks.attributes: this server sets no attribute ${name}; it sets ${Object.keys(CKA).join(', ')}; one of a vendor is a number, 0x...`,
    ),
    ...variables.map((name) => `model.initializeText: {${name}} is not listed in env`),
  ];
}
