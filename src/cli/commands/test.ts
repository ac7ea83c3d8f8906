import { printable, printableLines } from '../../../base/text/printable.ts';
import { missingModel } from '../../calls/providers/missing-model.ts';
import { type ConversationFailure, runConversation } from '../../conversation-test/run-conversation.ts';
import type { OutsidePorts } from '../../text-call/outside-work.ts';
import { LiveProviders } from '../text-call/live-providers.ts';
import { readTestFile } from '../text-call/read-test-file.ts';
import { Screen, type ScreenOutput, wantsColour } from '../text-call/screen.ts';
import { loadTextSetup, type TextSetup } from '../text-call/text-setup.ts';
import { asksForHelp } from './help.ts';

const USAGE = `trunkline test FILE…

  Runs conversation tests from YAML files, with scripted model responses or the language model of the agent.

  Exit status: 0 all passed, 1 at least one failed, 2 a file could not be run.
`;

/** Number of conversations by outcome. */
interface Count {
  readonly passed: number;
  readonly failed: number;
}

/**
 * `trunkline test FILE…`: runs every conversation of every file. Resolves to the exit status: 0 all passed, 1 at least one failed, 2 a
 * file could not be run.
 */
export async function testCommand(
  files: readonly string[],
  environment: NodeJS.ProcessEnv,
  out: ScreenOutput,
): Promise<number> {
  if (asksForHelp(files)) {
    out.write(USAGE);
    return 0;
  }
  if (files.length === 0) {
    out.write(`expected at least one YAML file\n${USAGE}`);
    return 2;
  }
  const report = new Report(out, wantsColour(out, environment));
  let passed = 0;
  let failed = 0;
  let unusable = 0;
  for (const path of files) {
    try {
      const count = await testFile(path, await loadTextSetup(environment), report);
      passed += count.passed;
      failed += count.failed;
    } catch (error) {
      unusable += 1;
      report.unusable(error instanceof Error ? error.message : String(error));
    }
  }
  report.sum(passed, failed, unusable);
  if (unusable > 0) return 2;
  return failed > 0 ? 1 : 0;
}

async function testFile(path: string, setup: TextSetup, report: Report): Promise<Count> {
  const { agent, file } = await readTestFile(path, setup);
  const { compiled } = agent;
  const missing = file.model === 'script' ? null : missingModel(setup.registry, compiled.agent);
  if (missing !== null) throw new Error(`${path}: ${missing}, or model: script in the file`);
  const providers = new LiveProviders(setup.configuration, setup.registry);
  const outside: OutsidePorts = {
    model: (time) => providers.model(compiled.agent, time),
    tools: (time) => providers.tools(agent, time),
  };
  let passed = 0;
  report.file(path);
  try {
    for (const conversation of file.conversations) {
      const startedAt = performance.now();
      const { failure } = await runConversation({ file, compiled, outside }, conversation);
      report.conversation(conversation.name, performance.now() - startedAt, failure);
      if (failure === null) passed += 1;
    }
  } finally {
    await providers.close();
  }
  return { passed, failed: file.conversations.length - passed };
}

/** Prints a run: one line per conversation, and for a failed one its transcript and the failed expectations. */
class Report {
  readonly #out: ScreenOutput;
  readonly #colour: boolean;

  constructor(out: ScreenOutput, colour: boolean) {
    this.#out = out;
    this.#colour = colour;
  }

  file(path: string): void {
    this.#out.write(`${path}\n`);
  }

  conversation(name: string, tookMs: number, failure: ConversationFailure | null): void {
    const mark = failure === null ? this.#coloured('32', '✓') : this.#coloured('31', '✗');
    this.#out.write(`  ${mark} ${printable(name)} ${this.#coloured('2', `(${tookMs.toFixed(0)} ms)`)}\n`);
    if (failure === null) return;
    this.#out.write(`      ${printable(failure.where)}\n`);
    for (const reason of failure.reasons) this.#out.write(`        ${this.#coloured('31', printable(reason))}\n`);
    if (failure.happened.length === 0) return;
    this.#out.write('        what happened:\n');
    const screen = new Screen(this.#out, this.#colour, '          ');
    for (const { kind, text } of failure.happened) screen.line(kind, text);
  }

  unusable(message: string): void {
    this.#out.write(`${this.#coloured('31', printableLines(message))}\n`);
  }

  sum(passed: number, failed: number, unusable: number): void {
    const parts = [
      `${passed} passed`,
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(unusable > 0 ? [`${unusable} ${unusable === 1 ? 'file' : 'files'} could not be run`] : []),
    ];
    this.#out.write(`${parts.join(', ')}\n`);
  }

  #coloured(code: string, text: string): string {
    return this.#colour ? `\u001b[${code}m${text}\u001b[0m` : text;
  }
}
