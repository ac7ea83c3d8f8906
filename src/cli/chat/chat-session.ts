import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import { engineNotes } from '../../text-call/engine-notes.ts';
import { TextCall, type TextCallOptions } from '../../text-call/text-call.ts';
import type { Screen } from '../text-call/screen.ts';
import { ChatNarrator } from './chat-narrator.ts';
import type { TypedLine, TypedLines } from './typed-lines.ts';

const HELP = `/dtmf 123#     press keys
/silence [S]   say nothing for S seconds, which pass at once; without S: until a presence check is due
/vars          the variables and their values
/state         the state, and the ways out of it
/hangup        hang up (so does the end of the input, and Ctrl-C)
/help          this`;

const KEYS = /^[0-9*#A-D]+$/;
/** Maximum `max_call_duration`, seconds. */
const SILENCE_SECONDS_MAX = 14_400;

export interface ChatOptions extends Omit<TextCallOptions, 'onEntry' | 'ports'> {
  readonly ports: Omit<TextCallOptions['ports'], 'log'>;
  readonly screen: Screen;
  readonly lines: TypedLines;
}

/** A conversation in the terminal. Typed lines are speech of the user, lines with a slash are commands. */
export class ChatSession {
  readonly #screen: Screen;
  readonly #lines: TypedLines;
  readonly #agent: AgentConfiguration;
  readonly #call: TextCall;

  constructor(options: ChatOptions) {
    const { screen } = options;
    this.#screen = screen;
    this.#lines = options.lines;
    this.#agent = options.compiled.agent;
    this.#call = new TextCall({
      ...options,
      ports: {
        ...options.ports,
        log: engineNotes((text) => screen.line('note', text)),
      },
      onEntry: new ChatNarrator(screen).show,
    });
  }

  /** Runs until the end of the call and resolves to its end reason. The end of the input hangs up after all lines were answered. */
  async run(): Promise<NonNullable<TextCall['endReason']>> {
    await this.#call.settle();
    while (this.#call.endReason === null) {
      this.#screen.endLine();
      const line = await this.#lines.next();
      if (line === null) await this.#call.hangUp();
      else await this.#take(line);
    }
    this.#lines.drop();
    return this.#call.endReason;
  }

  /** Hangs up at once. */
  hangUp(): void {
    this.#lines.drop();
    void this.#call.hangUp();
  }

  async #take({ text, shown }: TypedLine): Promise<void> {
    const line = text.trim();
    if (line === '') return;
    if (!shown) this.#screen.line('user', line);
    if (!line.startsWith('/')) {
      await this.#call.say(line);
      return;
    }
    const [command = '', ...rest] = line.split(/\s+/);
    await this.#obey(command, rest.join(' '));
  }

  async #obey(command: string, argument: string): Promise<void> {
    switch (command) {
      case '/dtmf':
        if (KEYS.test(argument)) await this.#call.press(argument);
        else this.#screen.plain('/dtmf DIGITS: expected digits 0-9, *, # and A-D');
        break;
      case '/silence':
        await this.#waitSilently(argument);
        break;
      case '/vars':
        for (const { name, value } of this.#call.view().variables) {
          this.#screen.line('variable', `${name} = ${JSON.stringify(value)}`);
        }
        break;
      case '/state':
        this.#tellState();
        break;
      case '/hangup':
        await this.#call.hangUp();
        break;
      case '/help':
        this.#screen.plain(HELP);
        break;
      default:
        this.#screen.plain(`unknown command: ${command}\n${HELP}`);
    }
  }

  async #waitSilently(argument: string): Promise<void> {
    const seconds = argument === '' ? this.#agent.presence_check_idle_threshold : Number(argument);
    if (seconds > 0 && seconds <= SILENCE_SECONDS_MAX) await this.#call.waitSilently(seconds);
    else this.#screen.plain(`/silence SECONDS: expected more than 0, at most ${SILENCE_SECONDS_MAX}`);
  }

  #tellState(): void {
    const { state: name } = this.#call.view();
    this.#screen.line('state', name);
    const state = this.#agent.states.find((candidate) => candidate.name === name);
    for (const { destination_state_name, condition } of state?.transitions ?? []) {
      this.#screen.line('state', `→ ${destination_state_name}: ${condition}`);
    }
  }
}
