import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NEW_AGENT } from '../../console/src/agents/document/agent-document.ts';
import { jsonPlaceAt } from '../../console/src/agents/document/json-place.ts';
import { descriptionAt, fieldNamesAt, fieldsAt, valuesAt } from '../../console/src/agents/document/schema-fields.ts';
import { apiDescription } from '../../console/src/agents/editor/api-description.ts';
import { agentSchema } from '../../console/src/agents/editor/json-completion.ts';
import { testApi } from '../src/api/test-api.ts';

const labels = (suggestions: readonly { readonly label: string }[]) => suggestions.map(({ label }) => label);

/** The description of the API as the service serves it, and the schema of an agent in it. */
async function served() {
  const { app } = await testApi();
  const api: unknown = (await app.inject('/openapi.json')).json();
  const root = { $ref: '#/components/schemas/CreateAgentRequest' };
  return { api, root, document: JSON.parse(NEW_AGENT) as unknown };
}

describe('the completion of an agent', () => {
  it('offers the fields that an object may have and lacks, with their descriptions', async () => {
    const { api, root, document } = await served();
    const fields = fieldsAt(api, root, document, []);
    expect(labels(fields)).toContain('max_call_duration');
    expect(labels(fields)).not.toContain('base_prompt');
    expect(fields.find(({ label }) => label === 'max_call_duration')?.description).toContain('Maximum duration');
    expect(labels(fieldsAt(api, root, document, ['states', 0, 'transitions', 0]))).toEqual(
      expect.arrayContaining(['filler_sentence', 'interruptible']),
    );
  });

  it('offers the fields of the given kind of tool, and all kinds if none is given', async () => {
    const { api, root, document } = await served();
    const path = ['states', 1, 'tools', 0];
    expect(labels(fieldsAt(api, root, document, path))).toContain('filler_sentence');
    expect(labels(fieldsAt(api, root, document, path))).not.toContain('url');
    expect(labels(fieldsAt(api, root, null, path))).toEqual(expect.arrayContaining(['url', 'destination']));
    expect(labels(valuesAt(api, root, null, [...path, 'type']))).toEqual(
      expect.arrayContaining(['hang_up', 'custom_function']),
    );
  });

  it('offers nothing where no schema knows the place', async () => {
    const { api, root, document } = await served();
    expect(fieldsAt(api, root, document, ['nowhere', 3])).toEqual([]);
    expect(valuesAt(undefined, undefined, document, ['language'])).toEqual([]);
  });

  it('offers the parameters of a tool while the comma and the colon of the new field are missing', async () => {
    const { api, root } = await served();
    const offered = (typed: string) => {
      const place = jsonPlaceAt(typed.replace('|', ''), typed.indexOf('|'));
      if (place === null) return null;
      const find = place.kind === 'field' ? fieldsAt : valuesAt;
      return labels(find(api, root, place.document, place.path));
    };
    const tool = (inside: string) => `{"states": [{"name": "a"}, {"tools": [{"type": "custom_function", ${inside}}]}]}`;
    const fields = offered(tool('"method": "GET",\n"p|"\n"filler_sentence": "One moment."'));
    expect(fields).toEqual(expect.arrayContaining(['parameters', 'response_mapping']));
    expect(fields).not.toContain('destination');
    expect(fields).not.toContain('filler_sentence');
    expect(offered(tool('"method": "|"'))).toContain('DELETE');
    expect(offered(tool('"parameters": [{"name": "time", |}]'))?.toSorted()).toEqual(['description', 'type', 'value']);
    expect(offered(tool('"parameters": [{"type": |}]'))).toContain('datetime');
    expect(offered('{"states": [{"to|')).toContain('tools');
  });

  it('asks again for the description of the API after a failure', async () => {
    const { api } = await served();
    const answers = [Promise.reject(new Error('offline')), Promise.resolve(api)];
    const { explain } = agentSchema(() => answers.shift() ?? Promise.reject(new Error('asked a third time')));
    const asked = { content: NEW_AGENT, pos: NEW_AGENT.indexOf('"base_prompt"') + 3 };
    expect(await explain(asked)).toBeNull();
    expect(await explain(asked)).toMatchObject({ from: asked.pos - 3 });
    expect(await explain({ ...asked, pos: asked.pos + 1 })).not.toBeNull();
  });

  it('takes no error answer for the description of the API', async () => {
    const { api } = await served();
    const statuses = [503, 200];
    const server = createServer((_request, response) => {
      const status = statuses.shift() ?? 200;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(status === 200 ? api : { error: { message: 'busy' } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the server has no port');
    const { explain } = agentSchema(() => apiDescription(`http://127.0.0.1:${address.port}/openapi.json`));
    const asked = { content: NEW_AGENT, pos: NEW_AGENT.indexOf('"base_prompt"') + 3 };
    expect(await explain(asked)).toBeNull();
    expect(await explain(asked)).toMatchObject({ from: asked.pos - 3 });
  });

  it('explains a field by its description, and names all fields of an object', async () => {
    const { api, root, document } = await served();
    const path = ['states', 1, 'tools', 0];
    expect(descriptionAt(api, root, document, [...path, 'filler_sentence'])).toContain(
      'Sentence that the agent speaks',
    );
    expect(descriptionAt(api, root, document, [...path, 'nonsense'])).toBe('');
    expect(fieldNamesAt(api, root, document, path)).toEqual(expect.arrayContaining(['type', 'name', 'description']));
  });
});
