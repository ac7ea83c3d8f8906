/**
 * The script of a bench conversation, shared by callers, emulators and the final check. Each text names its caller and so its call.
 */
export interface Script {
  readonly greeting: Phrase;
  readonly turns: readonly ScriptTurn[];
  /** Who ends the call after the last turn. */
  readonly endedBy: 'caller' | 'agent';
  readonly agent: (functionUrl: string) => object;
}

export interface ScriptTurn {
  readonly userText: Phrase;
  /** Said into the answer of the turn before, by the transcriber's word alone: the caller's line stays silent. */
  readonly interrupts?: true;
  /** What the model answers, request by request. */
  readonly steps: readonly ModelStep[];
  /** All that the agent is to say in this turn, as the voice is given it. */
  readonly voiceTexts: readonly Phrase[];
  /** The same as the transcript holds it: a filler by itself, the sentences of one answer as one line. */
  readonly transcriptTexts: readonly Phrase[];
}

export type ModelStep =
  | { readonly type: 'text'; readonly sentences: readonly Phrase[] }
  | { readonly type: 'call'; readonly name: string };

/** A text with `#` where the caller's number belongs. */
export type Phrase = string;

/** For templates of the agent: a dynamic variable. */
export const CALLER_VARIABLE = 'caller';
const PROVIDERS = {
  transcriber: { provider: 'deepgram', model: 'nova-3' },
  llm: { provider: 'openai', model: 'bench' },
  voice: { provider: 'deepgram', name: 'thalia' },
};
/** Seconds; the longest window is far from it. */
const MAX_CALL_DURATION_S = 600;

export function textOf(phrase: Phrase, call: number): string {
  return phrase.replaceAll('#', String(call));
}

/** The phrase that a text was made from, and its caller. */
export function phraseOf(text: string): { readonly phrase: Phrase; readonly call: number } | null {
  const number = /caller (\d+)/.exec(text)?.[1];
  return number === undefined
    ? null
    : { phrase: text.replaceAll(`caller ${number}`, 'caller #'), call: Number(number) };
}

/** By the name that a bench's processes are told. */
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

/** Plain questions and answers, all of one shape: what is measured is the way of a turn. */
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

/** Each question's answer is cut short, and what cut it is answered: two turns of the script for one interruption. */
function interruptionScript(interruptions: number): Script {
  return questionScript(
    Array.from({ length: interruptions }, (_, i) => [
      plainTurn(`Line ${i + 1} of caller # asks.`, [
        // No mark inside: the engine gives a first clause to the voice by itself.
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
      max_call_duration: MAX_CALL_DURATION_S,
    }),
  };
}

/** A whole conversation: a function over HTTP, a transition, an extracted variable, a goodbye, and a hang-up. */
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

/** The agent of that conversation, whose function is at `url`. */
function conversationAgent(url: string, greeting: Phrase, fillers: Record<'hours' | 'table' | 'end', Phrase>) {
  const state = (name: string, more: object) => ({ name, prompt: 'You answer the phone of a restaurant.', ...more });
  return {
    ...PROVIDERS,
    name: 'Bench: conversations',
    initial_message: template(greeting),
    initial_state_name: 'questions',
    max_call_duration: MAX_CALL_DURATION_S,
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

/** What the model is to find in the caller's words: their number. */
export const EXTRACTED_VARIABLE = 'caller_number';

function template(phrase: Phrase): string {
  return phrase.replaceAll('#', `{{${CALLER_VARIABLE}}}`);
}
