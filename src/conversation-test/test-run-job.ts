import { compileAgent } from '../../engine/session/machine/compile-agent.ts';
import { type JobLink, serveJobs } from '../background/job-process/serve-jobs.ts';
import type { ConsoleLine } from '../text-call/console-line.ts';
import { parentPorts } from './parent-ports.ts';
import { parsedTestFile } from './parsed-test-file.ts';
import { type ConversationResult, runConversation } from './run-conversation.ts';
import { storedAgentTestSchema, type TestConversations } from './test-file.ts';
import type { ConversationReport, TestRunAnswer, TestRunJob, TestRunMessage, TestRunReply } from './test-run.ts';
import { unknownNames } from './unknown-names.ts';
import { TestFileError, YamlSource } from './yaml-source.ts';

/** The name of the file in messages, which clients do not see. */
const FILE = 'test file';
/** Characters of one line of a result. An answer of a model is shorter. */
const LINE_CHARACTERS_MAX = 4_000;

serveJobs(runTests);

async function runTests(job: TestRunJob, link: JobLink<TestRunMessage, TestRunReply>): Promise<TestRunAnswer> {
  const read = readFile(job);
  if ('faults' in read) return { faults: read.faults, tooMuchOutput: false };
  const { file } = read;
  const subject = { file, compiled: compileAgent(job.configuration), outside: parentPorts(link) };
  link.post({ type: 'began', conversations: file.conversations.length });
  let characters = 0;
  for (const conversation of file.conversations) {
    const startedAt = performance.now();
    const result = await runConversation(subject, conversation);
    const report = reportOf(conversation.name, Math.round(performance.now() - startedAt), result);
    characters += JSON.stringify(report).length;
    if (characters > job.outputCharactersMax) return { faults: [], tooMuchOutput: true };
    link.post({ type: 'reported', report });
  }
  return { faults: [], tooMuchOutput: false };
}

function readFile({
  configuration,
  content,
  missingModel,
}: TestRunJob): { readonly file: TestConversations } | Pick<TestRunAnswer, 'faults'> {
  try {
    const source = new YamlSource(FILE, content);
    const file = parsedTestFile(source, storedAgentTestSchema);
    const faults = unknownNames(file, configuration);
    if (file.model === 'provider' && missingModel !== null)
      faults.push({ path: ['model'], message: `${missingModel}, or model: script in the file` });
    if (faults.length > 0) throw source.error(faults);
    return { file };
  } catch (error) {
    if (!(error instanceof TestFileError)) throw error;
    return { faults: error.faults };
  }
}

function reportOf(name: string, durationMs: number, { failure, transcript }: ConversationResult): ConversationReport {
  return {
    name,
    durationMs,
    failure: failure === null ? null : shortenedFailure(failure),
    transcript: transcript.map(shortenedLine),
  };
}

function shortenedFailure({
  happened,
  reasons,
  where,
}: NonNullable<ConversationResult['failure']>): NonNullable<ConversationResult['failure']> {
  return { where: shortened(where), reasons: reasons.map(shortened), happened: happened.map(shortenedLine) };
}

function shortenedLine({ kind, text }: ConsoleLine): ConsoleLine {
  return { kind, text: shortened(text) };
}

function shortened(text: string): string {
  return text.length <= LINE_CHARACTERS_MAX ? text : `${text.slice(0, LINE_CHARACTERS_MAX)}…`;
}
