import type { Readable, Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { printableLines } from '../../../base/text/printable.ts';
import type { EndReason } from '../../../engine/ports/end-reason.ts';
import { missingModel } from '../../calls/providers/missing-model.ts';
import { CallTime } from '../../text-call/call-time.ts';
import type { TextCallParameters } from '../../text-call/text-call.ts';
import { openChatKnowledge } from '../chat/chat-knowledge.ts';
import { ChatSession } from '../chat/chat-session.ts';
import { TypedLines } from '../chat/typed-lines.ts';
import { readAgentFile } from '../text-call/agent-file.ts';
import { LiveProviders } from '../text-call/live-providers.ts';
import { Screen, wantsColour } from '../text-call/screen.ts';
import { loadTextSetup } from '../text-call/text-setup.ts';
import { asksForHelp } from './help.ts';

const SYNOPSIS = 'trunkline chat AGENT.json [--var NAME=VALUE]… [--from NUMBER] [--to NUMBER] [--outbound]';
const USAGE = `${SYNOPSIS}

  Talks to an agent in the terminal. AGENT.json is the body of POST /v1/agents. Type /help for commands.
  --var NAME=VALUE    set a dynamic variable; may be repeated
  --from, --to        numbers of the call
  --outbound          the agent calls the user

  Settings are those of the service, such as OPENAI_API_KEY or OPENAI_BASE_URL for the language model. Knowledge bases
  that the agent names are read from the service's database (DATA_DIR or DATABASE_URL), also while it is running.
  Exit status: 0 after a conversation, 1 if a failure ended it, 2 if it could not start.
`;

/** Exit status of a second Ctrl-C: 128 + signal number, as in shells. */
const INTERRUPTED_STATUS = 130;
/** End reasons of a failed call. */
const FAILED: ReadonlySet<EndReason> = new Set(['llm_error', 'voice_error', 'transcriber_error', 'internal_error']);

interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable;
}

interface ChatArguments {
  readonly path: string;
  readonly parameters: TextCallParameters;
}

/**
 * `trunkline chat AGENT.json`: talk to an agent in the terminal. Resolves to the exit status: 0 after a conversation, 1 if a failure
 * ended it, 2 if it could not start.
 */
export async function chatCommand(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  terminal: Terminal,
): Promise<number> {
  if (asksForHelp(args)) {
    terminal.stdout.write(USAGE);
    return 0;
  }
  try {
    const { path, parameters } = chatArguments(args);
    const { configuration, registry } = await loadTextSetup(environment);
    const agent = await readAgentFile(path, configuration, registry);
    const missing = missingModel(registry, agent.compiled.agent);
    if (missing !== null) throw new Error(missing);
    const screen = new Screen(terminal.stdout, wantsColour(terminal.stdout, environment));
    const { llm } = agent.compiled.agent;
    screen.plain(`${agent.name}, with ${llm.provider ?? ''} ${llm.model}; type /help for commands`);
    for (const { field, message } of agent.warnings) screen.plain(`warning: ${field}: ${message}`);
    const time = new CallTime(Date.now());
    const onNote = (message: string) => screen.line('note', message);
    const knowledge = await openChatKnowledge({ agent: agent.compiled.agent, configuration, time, onNote });
    const providers = new LiveProviders(configuration, registry);
    const ports = {
      model: providers.model(agent.compiled.agent, time),
      tools: providers.tools(agent, time),
      knowledge: knowledge.port,
    };
    const reason = await converse(terminal, screen, (lines) => {
      return new ChatSession({ compiled: agent.compiled, parameters, time, ports, screen, lines });
    });
    await Promise.all([providers.close(), knowledge.close()]);
    return FAILED.has(reason) ? 1 : 0;
  } catch (error) {
    terminal.stderr.write(`${printableLines(error instanceof Error ? error.message : String(error))}\n`);
    return 2;
  }
}

/** The first Ctrl-C hangs up, a second one exits at once. */
async function converse(
  { stdin, stdout }: Terminal,
  screen: Screen,
  begin: (lines: TypedLines) => ChatSession,
): Promise<EndReason> {
  let interrupted = false;
  const onInterrupt = () => {
    if (interrupted) process.exit(INTERRUPTED_STATUS);
    interrupted = true;
    session.hangUp();
  };
  const lines = new TypedLines({ input: stdin, output: stdout, prompt: screen.label('user'), onInterrupt });
  const session = begin(lines);
  process.on('SIGINT', onInterrupt);
  try {
    return await session.run();
  } finally {
    process.off('SIGINT', onInterrupt);
  }
}

/** @throws {Error} with the fault and the synopsis */
function chatArguments(args: readonly string[]): ChatArguments {
  const { values, positionals } = parsed(args);
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) throw new Error(`expected exactly one agent file: ${SYNOPSIS}`);
  return {
    path,
    parameters: {
      direction: values.outbound === true ? 'outbound' : 'inbound',
      fromNumber: values.from ?? null,
      toNumber: values.to ?? null,
      dynamicVariables: Object.fromEntries((values.var ?? []).map(variableOf)),
    },
  };
}

function parsed(args: readonly string[]) {
  const options = {
    var: { type: 'string', multiple: true },
    from: { type: 'string' },
    to: { type: 'string' },
    outbound: { type: 'boolean' },
  } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${SYNOPSIS}`);
  }
}

function variableOf(given: string): readonly [name: string, value: string] {
  const equals = given.indexOf('=');
  if (equals < 1) throw new Error(`--var ${given}: expected NAME=VALUE`);
  return [given.slice(0, equals), given.slice(equals + 1)];
}
