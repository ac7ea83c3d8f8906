import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentDocument, agentPatch, isDocument, parsedJson } from '../../console/src/agents/document/agent-document.ts';
import { withValue } from '../../console/src/agents/document/document-edit.ts';
import { activeVersion, draftBase } from '../../console/src/agents/stored/active-version.ts';
import { changedWords } from '../../console/src/agents/versions/changed-words.ts';
import { documentChanges } from '../../console/src/agents/versions/document-changes.ts';
import type { Agent } from '../../console/src/generated/client.ts';
import { readAgentSearch } from '../../console/src/shell/agent-search.ts';
import { validSearch } from '../../console/src/shell/valid-search.ts';
import { createAgent, testApi } from '../src/api/test-api.ts';

const greeting = { name: 'greeting', prompt: 'Greet the user.', tools: [] };
const goodbye = { name: 'goodbye', prompt: 'Say goodbye.' };

describe('the changes between two documents', () => {
  it('name states by their names, and tell texts, new parts and removed parts apart', () => {
    const before = { language: 'en', states: [greeting, goodbye], variables: [] };
    const after = { states: [{ ...greeting, prompt: 'Greet them.' }, { name: 'booking' }], variables: [], voice: 'a' };
    expect(documentChanges(before, after)).toEqual([
      { path: 'states[greeting].prompt', before: 'Greet the user.', after: 'Greet them.' },
      { path: 'states[booking]', before: null, after: '{\n  "name": "booking"\n}' },
      { path: 'states[goodbye]', before: expect.stringContaining('Say goodbye.'), after: null },
      { path: 'voice', before: null, after: 'a' },
      { path: 'language', before: 'en', after: null },
    ]);
  });

  it('report another order of equal states', () => {
    expect(documentChanges({ states: [greeting, goodbye] }, { states: [goodbye, greeting] })).toEqual([
      { path: 'states', before: 'greeting, goodbye', after: 'goodbye, greeting', isOrder: true },
    ]);
  });

  it('are empty exactly if the documents are equal', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => {
        const [one, other] = [JSON.parse(JSON.stringify(before)), JSON.parse(JSON.stringify(after))];
        expect(documentChanges(one, one)).toEqual([]);
        expect(documentChanges(one, other).length === 0).toBe(isDeepStrictEqual(one, other));
      }),
    );
  });
});

describe('the words of a changed text', () => {
  it('are marked one by one', () => {
    expect(changedWords('Greet the user.', 'Greet the caller.').filter(({ type }) => type !== 'same')).toEqual([
      { type: 'removed', text: 'user', place: 1 },
      { type: 'added', text: 'caller', place: 2 },
    ]);
  });

  it('are found in a prompt of 100,000 characters, whose unchanged parts are cut', () => {
    const long = 'You answer the phone of a small hotel. '.repeat(2_500);
    const parts = changedWords(`${long}Be brief.`, `${long}Be kind.`);
    expect(parts.map(({ type }) => type)).toEqual(['same', 'removed', 'added', 'same']);
    expect(parts[0]?.text.length).toBeLessThan(100);
  });

  it('are both whole texts if they have little in common', () => {
    const parts = changedWords('Hello, this is a call that goes on.', 'Two seats, on a Friday.');
    expect(parts.map(({ type }) => type)).toEqual(['removed', 'same', 'added']);
    expect(changedWords('en', 'de').map(({ text }) => text)).toEqual(['en', ' → ', 'de']);
  });

  it('are both whole texts if two long ones have nothing in common', () => {
    const texts = ['a', 'b'].map((letter) => Array.from({ length: 3_000 }, (_, at) => `${letter}${at}`).join(' '));
    expect(changedWords(texts[0] ?? '', texts[1] ?? '')).toHaveLength(3);
  });
});

describe('the change of an agent', () => {
  it('resets the fields that were removed from its document, and none that the service sets', () => {
    const stored: Partial<Agent> = { id: 'a', version: 3, name: 'Front desk', language: 'de', base_prompt: 'Be kind.' };
    // The patch reads the names of the fields alone.
    const base = stored as Agent;
    const states = [{ name: 'greeting' }];
    const document = { name: 'Front desk', language: 'de', states, initial_state_name: 'greeting' };
    expect(agentPatch(document, base)).toEqual({ ...document, base_prompt: null });
  });

  it('sends an edited transcriber under one name: the service refuses two that differ', () => {
    const transcriber = { provider: 'deepgram', model: 'nova-3' };
    const stored: Partial<Agent> = { name: 'Front desk', transcriber, transcriber_configuration: transcriber };
    const base = stored as Agent;
    const edited = withValue(parsedJson(agentDocument(base)), ['transcriber', 'model'], 'nova-2');
    if (!isDocument(edited)) throw new Error('the document has no name');
    expect(agentPatch(edited, base)).toEqual({
      name: 'Front desk',
      transcriber: { provider: 'deepgram', model: 'nova-2' },
    });
  });

  it('is stored by the service with another transcriber', async () => {
    const api = await testApi();
    const id = await createAgent(api, { transcriber: { provider: 'deepgram', model: 'nova-3' } });
    const read = async () => {
      const { data }: { readonly data: Agent } = JSON.parse((await api.ask('GET', `/v1/agents/${id}`)).text);
      return data;
    };
    const base = await read();
    const edited = withValue(parsedJson(agentDocument(base)), ['transcriber', 'model'], 'nova-2');
    if (!isDocument(edited)) throw new Error('the document has no name');
    const { status } = await api.ask('PATCH', `/v1/agents/${id}`, { ...agentPatch(edited, base) });
    expect(status).toBe(200);
    expect((await read()).transcriber_configuration).toMatchObject({ provider: 'deepgram', model: 'nova-2' });
  });

  it('is based on the active version, and as a draft on the newest draft that is newer', () => {
    const version = (number: number, published: boolean, active = false) => ({
      version: number,
      published,
      active,
      configuration_id: '',
      created_at: '',
    });
    const published = [version(4, true, true), version(3, false), version(2, true)];
    expect([activeVersion(published), draftBase(published)]).toEqual([4, 4]);
    expect(draftBase([version(6, false), version(5, false), ...published])).toBe(6);
    expect([activeVersion([]), draftBase([])]).toEqual([null, null]);
  });
});

it('the address of an agent names a version or the active one', () => {
  expect([{ version: 3 }, { version: '3' }, { version: 0 }, { version: 1.5 }, {}].map(readAgentSearch)).toEqual([
    { version: 3 },
    {},
    {},
    {},
    {},
  ]);
  // As the router joins them.
  const written = { version: 'abc', other: 1 };
  expect({ ...written, ...validSearch(readAgentSearch)(written) }).toEqual({});
  expect(validSearch(readAgentSearch)({ version: 3, other: 1 })).toEqual({ version: 3 });
});
