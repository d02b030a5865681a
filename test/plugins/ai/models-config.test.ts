// The tables [[ai.models]]: a start with a wrong one stops and names every problem, and a right one says where the files of the model lie.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type ModelConfig, modelSpecOf } from '../../../plugins/ai/models.ts';
import { startServer } from '../../server.ts';

const WRONG = `
[[ai.models]]
id = "a"
task = "embedding"
url = "https://models.example/v1"

[[ai.models]]
id = "a"
task = "embedding"
languages = ["en-fr"]
beams = 4

[[ai.models]]
id = "b"
task = "translation"
engine = "http"
url = "http://models.example/v1"
folder = "b"
beams = 2
`;

test('a wrong table stops the start, and all problems are named at once', async () => {
  const refused = await startServer({ config: WRONG }).then(
    async (server) => server.end().then(() => assert.fail('it started')),
    (error: Error & { problems?: readonly string[] }) => error.message,
  );
  for (const problem of [
    'ai.models[0].url: only for engine "http"',
    'ai.models[1].id: another model has the same id',
    'ai.models[1].task: there is another model for embedding',
    'ai.models[1].languages: only a model for translation has pairs',
    'ai.models[2].languages: a model for translation needs its pairs',
    'ai.models[2].url: must be the address of an API',
    'ai.models[2].model: missing',
    'ai.models[2].folder: only for engine "onnx"',
    'ai.models[2].beams: only for engine "onnx"',
    'ai.models[1].beams: a model for embedding writes no texts',
  ])
    assert.ok(refused.includes(problem), `${problem}\n${refused}`);
  for (const id of ['../x', 'A', '.hidden', 'a/b'])
    await assert.rejects(startServer({ config: `[[ai.models]]\nid = "${id}"\ntask = "summary"\n` }), /ai\.models\[0\]\.id/, id);
});

test('the files of a model lie in the data folder, or where its table says', () => {
  const model = {
    id: 'm',
    task: 'embedding',
    engine: 'onnx',
    folder: '',
    precision: 'auto',
    url: '',
    model: '',
    api_key: '',
    beams: 0,
    languages: [],
  } as ModelConfig;
  const folders = ['', 'mine', '/opt/m'].map((folder) => modelSpecOf({ ...model, folder }, '/data', '/etc/gatehouse').folder);
  assert.deepEqual(folders, ['/data/models/m', '/etc/gatehouse/mine', '/opt/m']);
});

test.run();
