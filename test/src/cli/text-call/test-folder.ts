import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testCommand } from '../../../../src/cli/commands/test.ts';

/** A minimal agent with two states and a function. */
export const AGENT = {
  name: 'Desk',
  initial_message: 'Good day.',
  presence_check_phrases: ['Hello?'],
  variables: [{ name: 'party_size', type: 'integer', description: 'How many people.' }],
  initial_state_name: 'greeting',
  states: [
    {
      name: 'greeting',
      transitions: [{ condition: 'The caller wants a table.', destination_state_name: 'booking' }],
      tools: [{ type: 'hang_up', name: 'bye', filler_sentence: 'Goodbye.' }],
    },
    {
      name: 'booking',
      tools: [
        {
          type: 'custom_function',
          name: 'find_slot',
          url: 'http://127.0.0.1:9/slots',
          parameters: [{ name: 'day' }],
          response_mapping: [{ json_path_to_data: '$.slot', destination_variable: 'slot' }],
        },
        { type: 'transfer_call', name: 'to_human', destination: '+33123456789' },
      ],
      variables: [{ name: 'slot' }],
    },
  ],
};

/** Creates a folder with these files and returns its path. Values other than strings are written as JSON. */
export async function folderOf(files: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-text-'));
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

export interface TestOutcome {
  readonly status: number;
  readonly output: string;
}

/** Runs `trunkline test` with these files and only the given environment variables. */
export async function runTests(files: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<TestOutcome> {
  const written: string[] = [];
  const status = await testCommand(files, environment, { write: (text: string) => written.push(text) });
  return { status, output: written.join('') };
}

/** Runs `trunkline test` with one file beside `AGENT`. Removes the folder and the times from the output. */
export async function runTestFile(yaml: string, environment: NodeJS.ProcessEnv = {}): Promise<TestOutcome> {
  const folder = await folderOf({ 'agent.json': AGENT, 'desk.test.yaml': yaml });
  const { status, output } = await runTests([join(folder, 'desk.test.yaml')], environment);
  return { status, output: output.replaceAll(`${folder}/`, '').replace(/ \(\d+ ms\)/g, '') };
}

/** A test file with one scripted conversation of these turns. */
export function scripted(turns: string, more = ''): string {
  return `agent: ./agent.json\nmodel: script\nconversations:\n  - name: one\n${more}    turns:\n${turns}`;
}
