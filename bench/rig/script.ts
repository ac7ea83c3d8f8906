/**
 * The script of a benchmark conversation, shared by callers, providers and the final check. Each text names its caller, which identifies the call.
 */
export interface Script {
  readonly greeting: Phrase;
  readonly turns: readonly ScriptTurn[];
  /** The side that ends the call after the last turn. */
  readonly endedBy: 'caller' | 'agent';
  readonly agent: (functionUrl: string) => object;
}

export interface ScriptTurn {
  readonly userText: Phrase;
  /** Interrupts the response to the previous turn. The caller sends silence; only the transcriber reports words. */
  readonly interrupts?: true;
  /** The model's responses, one per request. */
  readonly steps: readonly ModelStep[];
  /** The texts that the voice gets in this turn. */
  readonly voiceTexts: readonly Phrase[];
  /** The agent's entries in the transcript: a filler is one entry, and the sentences of one response are one entry. */
  readonly transcriptTexts: readonly Phrase[];
}

export type ModelStep =
  | { readonly type: 'text'; readonly sentences: readonly Phrase[] }
  | { readonly type: 'call'; readonly name: string };

/** A text with `#` where the caller's number belongs. */
export type Phrase = string;

/** The number of the staged calls, which their INVITEs dial. */
export const CALLED_NUMBER = '+33987654321';
/** Dynamic variable with the caller's number, for the agent's templates. */
export const CALLER_VARIABLE = 'caller';
const PROVIDERS = {
  transcriber: { provider: 'deepgram', model: 'nova-3' },
  llm: { provider: 'openai', model: 'bench' },
  voice: { provider: 'deepgram', name: 'thalia' },
};
/** Far above the longest window. */
const CALL_DURATION_S_MAX = 600;

export function textOf(phrase: Phrase, call: number): string {
  return phrase.replaceAll('#', String(call));
}

/** The phrase of a text, and its caller's number; null for a text that names no caller. */
export function phraseOf(text: string): { readonly phrase: Phrase; readonly call: number } | null {
  const number = /caller (\d+)/.exec(text)?.[1];
  return number === undefined
    ? null
    : { phrase: text.replaceAll(`caller ${number}`, 'caller #'), call: Number(number) };
}

/** The script with the name that a benchmark passes to its processes. */
export function scriptOf(name: string, turns: number): Script {
  switch (name) {
    case 'turn':
      return turnScript(turns);
    case 'interruption':
      return interruptionScript(turns);
    default:
      return conversationScript();
  }
}

/** Questions and answers, all alike: for measuring the stages of a turn. */
function turnScript(turns: number): Script {
  return questionScript(
    Array.from({ length: turns }, (_, i) =>
      plainTurn(`Line ${i + 1} of caller # asks.`, [
        `Answer ${i + 1} is for caller # alone.`,
        `So much for caller # now (${i + 1}).`,
      ]),
    ),
  );
}

/** Each answer is interrupted, and the interruption is answered: two turns of the script per interruption. */
function interruptionScript(interruptions: number): Script {
  return questionScript(
    Array.from({ length: interruptions }, (_, i) => [
      plainTurn(`Line ${i + 1} of caller # asks.`, [
        // No punctuation inside: the engine would send the first clause to the voice early.
        `Answer ${i + 1} for caller # goes on and on for far longer than anybody would want to listen to such an answer.`,
        `Nor is that all that there is to tell caller # (${i + 1}).`,
      ]),
      {
        ...plainTurn(`Stop ${i + 1}, caller # has heard enough.`, [`Very well then, caller # (${i + 1}).`]),
        interrupts: true as const,
      },
    ]).flat(),
  );
}

function plainTurn(userText: Phrase, sentences: readonly Phrase[]): ScriptTurn {
  return {
    userText,
    steps: [{ type: 'text', sentences }],
    voiceTexts: sentences,
    transcriptTexts: [sentences.join(' ')],
  };
}

function questionScript(turns: readonly ScriptTurn[]): Script {
  const greeting = 'Hello caller #, I am here.';
  return {
    greeting,
    turns,
    endedBy: 'caller',
    agent: () => ({
      ...PROVIDERS,
      name: 'Bench: turns',
      initial_message: template(greeting),
      initial_state_name: 'talk',
      states: [{ name: 'talk', prompt: 'Answer.' }],
      max_call_duration: CALL_DURATION_S_MAX,
    }),
  };
}

/** A whole conversation: a custom function, a state transition, an extracted variable, a goodbye and a hang-up. */
function conversationScript(): Script {
  const greeting = 'Hello caller #, what may I do for you?';
  const fillers = {
    hours: 'One moment, caller #, I am looking.',
    table: 'With pleasure, caller #, I shall see.',
    end: 'Thank you, caller #, and goodbye!',
  };
  const hours = ['For caller # we open at nine.', 'May caller # want anything else?'];
  const table = ['A table for caller # is free.', 'Would caller # like to have it?'];
  return {
    greeting,
    turns: [
      {
        userText: 'Good day, caller # asks for the opening hours.',
        steps: [
          { type: 'call', name: 'opening_hours' },
          { type: 'text', sentences: hours },
        ],
        voiceTexts: [fillers.hours, ...hours],
        transcriptTexts: [fillers.hours, hours.join(' ')],
      },
      {
        userText: 'And then caller # wants to book a table.',
        steps: [
          { type: 'call', name: 'go_to_table' },
          { type: 'text', sentences: table },
        ],
        voiceTexts: [fillers.table, ...table],
        transcriptTexts: [fillers.table, table.join(' ')],
      },
      {
        userText: 'That is fine for caller #, goodbye.',
        steps: [{ type: 'call', name: 'end_call' }],
        voiceTexts: [fillers.end],
        transcriptTexts: [fillers.end],
      },
    ],
    endedBy: 'agent',
    agent: (url) => conversationAgent(url, greeting, fillers),
  };
}

/** The agent of the conversation script. `url`: of its custom function. */
function conversationAgent(url: string, greeting: Phrase, fillers: Record<'hours' | 'table' | 'end', Phrase>) {
  const state = (name: string, more: object) => ({ name, prompt: 'You answer the phone of a restaurant.', ...more });
  return {
    ...PROVIDERS,
    name: 'Bench: conversations',
    initial_message: template(greeting),
    initial_state_name: 'questions',
    max_call_duration: CALL_DURATION_S_MAX,
    variables: [{ name: EXTRACTED_VARIABLE, type: 'integer', description: "The caller's number." }],
    states: [
      state('questions', {
        tools: [
          {
            type: 'custom_function',
            name: 'opening_hours',
            description: 'Tells the hours.',
            filler_sentence: template(fillers.hours),
            url,
            response_mapping: [{ json_path_to_data: '$.hours', destination_variable: 'hours' }],
          },
        ],
        variables: [{ name: 'hours', type: 'string' }],
        transitions: [
          {
            condition: 'The caller wants a table.',
            destination_state_name: 'table',
            filler_sentence: template(fillers.table),
          },
        ],
      }),
      state('table', {
        tools: [{ type: 'hang_up', name: 'end_call', filler_sentence: template(fillers.end) }],
      }),
    ],
  };
}

/** The variable that the model extracts from the conversation: the caller's number. */
export const EXTRACTED_VARIABLE = 'caller_number';

function template(phrase: Phrase): string {
  return phrase.replaceAll('#', `{{${CALLER_VARIABLE}}}`);
}
