import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { faultFindings, joinedFindings, warningFindings } from '../../console/src/agents/check/agent-finding.ts';
import { checkDocument } from '../../console/src/agents/check/check-document.ts';
import { findingMessage } from '../../console/src/agents/check/finding-message.ts';
import { findingPlace } from '../../console/src/agents/check/finding-place.ts';
import { NEW_AGENT } from '../../console/src/agents/document/agent-document.ts';
import { type DocumentPath, withValue } from '../../console/src/agents/document/document-edit.ts';
import { stateIndexOf } from '../../console/src/agents/document/field-path.ts';
import { de } from '../../console/src/i18n/de.ts';
import { en } from '../../console/src/i18n/en.ts';
import { es } from '../../console/src/i18n/es.ts';
import { fr } from '../../console/src/i18n/fr.ts';
import { PLAIN_MESSAGES } from '../../src/validation/issue-message.ts';
import { ISSUE_KINDS } from '../src/validation/issue-kinds.ts';

const TOOL = { type: 'custom_function', name: 'availability', url: 'https://example.com' };
const document = withValue(JSON.parse(NEW_AGENT), ['states', 0, 'tools'], [TOOL]);

/** The findings about the document with one value changed, as the page says them. */
function said(path: DocumentPath, value: unknown) {
  const changed = withValue(document, path, value);
  return checkDocument(changed).map((finding) => [
    findingPlace(changed, finding.field, en),
    findingMessage(finding, en),
  ]);
}

/** The schema and the checks, which write the messages. */
async function sources(): Promise<string> {
  const folders = ['engine/agent', 'src/api/agents', 'src/validation'].map((folder) =>
    join(import.meta.dirname, '../..', folder),
  );
  const names = await Promise.all(
    folders.map(async (folder) => (await readdir(folder)).map((name) => join(folder, name))),
  );
  const files = names.flat().filter((name) => name.endsWith('.ts'));
  return (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
}

describe('a finding', () => {
  it('names its place by the names of states and tools and by the labels of the forms', () => {
    expect(said(['states', 0, 'tools', 0, 'url'], '')).toEqual([
      ['State “greeting”, tool “availability”, URL', 'Required: still empty.'],
    ]);
    expect(said(['states', 0, 'transitions', 0, 'condition'], '')).toEqual([
      ['State “greeting”, transition 1, Condition', 'Required: still empty.'],
    ]);
    expect(findingPlace(document, 'states[7].tools[1].parameters[0].type', en)).toBe(
      'State “8”, tool “2”, parameter “1”, Type',
    );
    expect(findingPlace(document, 'base_prompt', de)).toBe('Prompt für alle Zustände');
    expect(findingPlace(document, 'states[0].tools[0].url', fr)).toBe('État « greeting », outil « availability », URL');
    expect(findingPlace(document, 'states[0]', es)).toBe('Estado «greeting»');
    expect(findingPlace(document, '', en)).toBe('');
  });

  it('names the type that is expected at its place', () => {
    expect(said(['states', 0, 'tools', 0, 'parameters'], { type: 'object' })).toEqual([
      ['State “greeting”, tool “availability”, Parameters', 'Expected a list [ … ], found an object { … }.'],
    ]);
    expect(said(['states', 0, 'prompt'], 7)).toEqual([
      ['State “greeting”, Prompt', 'Expected a text "…", found a number.'],
    ]);
    expect(said(['initial_state_name'], undefined)).toEqual([['First state', 'Required: a text "…" is missing.']]);
  });

  it('names an agent without a name, or with one of spaces', () => {
    expect(said(['name'], ' ')).toEqual([['Name', 'Required: still empty.']]);
    expect(said(['name'], undefined)).toEqual([['Name', 'Required: a text "…" is missing.']]);
  });

  it('names the providers that the service knows instead of an unknown one', () => {
    const message = 'unknown provider. Known providers: deepgram, espeak';
    const finding = { severity: 'fault', field: 'voice.provider', message } as const;
    expect(findingMessage(finding, de)).toBe('Unbekannter Anbieter. Bekannte Anbieter: deepgram, espeak.');
  });

  it('names the fields that are allowed instead of an unknown one', () => {
    const parameter = { name: 'time', type: 'string', description: '', required: true };
    expect(said(['states', 0, 'tools', 0, 'parameters'], [parameter])).toEqual([
      [
        'State “greeting”, tool “availability”, parameter “time”, required',
        expect.stringMatching(/^Unknown field\. Allowed here: (?=.*name)(?=.*type)(?=.*description).*\.$/),
      ],
    ]);
    const [[, message = ''] = []] = said(['states', 0, 'tools', 0, 'link'], '');
    expect(message).toContain('filler_sentence');
    expect(message).not.toContain('destination');
    expect(said(['nmae'], 'Desk')[0]?.[1]).toContain(' name,');
  });

  it.each(Object.keys(en.agents.findings.messages))('«%s» is said in the language of the page', async (message) => {
    const finding = { severity: 'fault', field: '', message } as const;
    expect(new Set([de, en, es, fr].map((texts) => findingMessage(finding, texts))).size).toBe(4);
    expect(await sources()).toContain(`'${message}'`);
  });

  it('of the service stands above those of the page, unless the page has it too', () => {
    const unknown = checkDocument(withValue(document, ['nmae'], 'Desk'));
    const refused = faultFindings([{ field: 'voice.provider', message: 'unknown provider' }]);
    const page = [...unknown, ...warningFindings([{ field: '', message: 'idle' }])];
    expect(joinedFindings([...faultFindings(unknown), ...refused], page)).toEqual([...refused, ...page]);
    expect(joinedFindings([], page)).toEqual(page);
  });

  it.each(ISSUE_KINDS)('of the kind «%s» is said in the language of the page', (_kind, schema, value, message) => {
    const faults = schema.safeParse(value, PLAIN_MESSAGES).error?.issues ?? [];
    expect(faults.map((fault) => fault.message)).toEqual([message]);
    const finding = { severity: 'fault', field: '', message } as const;
    const sentences = [de, en, es, fr].map((texts) => findingMessage(finding, texts));
    expect(new Set([...sentences, message]).size).toBe(5);
  });

  it('names the bound, the values or the form that the service expects', () => {
    const german = (message: string) => findingMessage({ severity: 'fault', field: '', message }, de);
    expect(german('expected a number of at most 2')).toBe('Erwartet: eine Zahl von höchstens 2.');
    expect(german('expected at least 1 item')).toBe('Erwartet: eine Liste mit mindestens 1 Eintrag.');
    expect(german('Required: expected one of "a", "b"')).toBe('Erforderlich: Es fehlt einer der Werte "a", "b".');
    expect(german('the name is not valid: expected at most 1 character')).toBe(
      'Der Name ist ungültig. Erwartet: ein Text mit höchstens 1 Zeichen.',
    );
    expect(german('expected luck')).toBe('expected luck');
    expect(said(['llm'], { temperature: 5 })[0]?.[1]).toBe('Expected a number of at most 2.');
  });

  it('leads to its state', () => {
    expect(stateIndexOf('states[2].tools[0].url')).toBe(2);
    expect(stateIndexOf('initial_state_name')).toBeNull();
  });
});
