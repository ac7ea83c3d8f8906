import type { EndReason } from '../../engine/ports/end-reason.ts';
import type { LanguageModel } from '../../engine/ports/language-model.ts';
import type { CompiledAgent } from '../../engine/session/machine/compile-agent.ts';
import { CallTime } from '../text-call/call-time.ts';
import { type ConsoleLine, consoleLineOf } from '../text-call/console-line.ts';
import { engineNotes } from '../text-call/engine-notes.ts';
import { NO_KNOWLEDGE } from '../text-call/no-knowledge.ts';
import type { OutsidePorts } from '../text-call/outside-work.ts';
import { TextCall } from '../text-call/text-call.ts';
import { cannedTools } from './canned-tools.ts';
import { actualOf, describeExpectation, isMet, type TurnResult } from './expectation.ts';
import { ScriptedModel } from './scripted-model.ts';
import type { CallerAct, TestConversation, TestConversations, TestTurn } from './test-file.ts';

/** Why a conversation failed. */
export interface ConversationFailure {
  /** The turn in words. */
  readonly where: string;
  /** Expectations and actual values that the transcript does not show. */
  readonly reasons: readonly string[];
  /** All entries of the turn. */
  readonly happened: readonly ConsoleLine[];
}

export interface ConversationResult {
  /** null: passed. */
  readonly failure: ConversationFailure | null;
  /** All entries of the conversation, up to the failed turn. */
  readonly transcript: readonly ConsoleLine[];
}

export interface TestSubject {
  readonly file: TestConversations;
  readonly compiled: CompiledAgent;
  readonly outside: OutsidePorts;
}

/** Runs one conversation in simulated time and stops at the first failed turn. */
export async function runConversation(
  { file, compiled, outside }: TestSubject,
  conversation: TestConversation,
): Promise<ConversationResult> {
  const time = new CallTime(Date.now());
  const script = file.model === 'script' ? new ScriptedModel(time.clock) : null;
  const model: LanguageModel = script ?? outside.model(time);
  const canned = new Map(Object.entries({ ...file.tools, ...conversation.tools }));
  const notes: string[] = [];
  const call = new TextCall({
    compiled,
    parameters: {
      direction: file.direction,
      fromNumber: file.from ?? null,
      toNumber: file.to ?? null,
      dynamicVariables: { ...file.variables, ...conversation.variables },
    },
    time,
    ports: {
      model,
      tools: cannedTools(canned, outside.tools(time), time.clock),
      // A test passes without the database of a service.
      knowledge: NO_KNOWLEDGE,
      log: engineNotes((text) => notes.push(text)),
    },
  });
  const run = new ConversationRun(call, script, notes);
  const failure = await run.run(conversation);
  const transcript = [...call.view().transcript.map(consoleLineOf), ...endLines(call)];
  await call.hangUp();
  return { failure, transcript };
}

/** The end of a call that has ended. */
function endLines({ endReason }: TextCall): readonly ConsoleLine[] {
  return endReason === null ? [] : [{ kind: 'end', text: endReason }];
}

class ConversationRun {
  readonly #call: TextCall;
  readonly #script: ScriptedModel | null;
  readonly #notes: string[];

  constructor(call: TextCall, script: ScriptedModel | null, notes: string[]) {
    this.#call = call;
    this.#script = script;
    this.#notes = notes;
  }

  async run({ turns, end }: TestConversation): Promise<ConversationFailure | null> {
    // The opening speech of the agent belongs to the first turn only if that turn is about it.
    const opening = turns[0]?.act.type === 'opening' ? turns[0] : OPENING;
    for (const [index, turn] of [opening, ...turns.filter((other) => other !== opening)].entries()) {
      const number = turns.indexOf(turn) + 1;
      const where = `${number === 0 ? '' : `turn ${number}, `}${describeAct(turn.act)}`;
      const failure = await this.#turn(turn, where, index > 0);
      if (failure !== null) return failure;
    }
    const { endReason } = this.#call;
    if (end === undefined || endReason === end) return null;
    return { where: 'at the end', reasons: [`expected end ${end}`, `got: ${ending(endReason)}`], happened: [] };
  }

  async #turn(turn: TestTurn, where: string, acts: boolean): Promise<ConversationFailure | null> {
    if (acts && this.#call.endReason !== null) {
      return { where, reasons: [`expected the call to continue; ${ending(this.#call.endReason)}`], happened: [] };
    }
    const known = new Set(acts ? this.#call.view().transcript.map(({ sequence }) => sequence) : []);
    this.#notes.length = 0;
    this.#script?.begin({ answers: turn.model ?? [], extract: turn.extract ?? null });
    await act(this.#call, turn.act);
    const { transcript, state, variables } = this.#call.view();
    const record: TurnResult = { entries: transcript.filter(({ sequence }) => !known.has(sequence)), state, variables };
    const missed = (turn.expect ?? []).filter((expectation) => !isMet(expectation, record));
    const reasons = [
      ...missed.flatMap((expectation) => {
        const actual = actualOf(expectation, record);
        return [`expected ${describeExpectation(expectation)}`, ...(actual === null ? [] : [`got: ${actual}`])];
      }),
      ...(this.#script?.problems() ?? []),
    ];
    if (reasons.length === 0) return null;
    const happened: ConsoleLine[] = [
      ...record.entries.map(consoleLineOf),
      ...this.#notes.map((text) => ({ kind: 'note' as const, text })),
      ...endLines(this.#call),
    ];
    return { where, reasons, happened };
  }
}

const OPENING: TestTurn = { act: { type: 'opening' } };

function act(call: TextCall, caller: CallerAct): Promise<void> {
  switch (caller.type) {
    case 'opening':
      return call.settle();
    case 'user':
      return call.say(caller.text);
    case 'dtmf':
      return call.press(caller.keys);
    case 'silence':
      return call.waitSilently(caller.seconds);
    case 'hang_up':
      return call.hangUp();
  }
}

function describeAct(caller: CallerAct): string {
  switch (caller.type) {
    case 'opening':
      return 'before the user speaks';
    case 'user':
      return `user: ${caller.text}`;
    case 'dtmf':
      return `dtmf: ${caller.keys}`;
    case 'silence':
      return `silence: ${caller.seconds} s`;
    case 'hang_up':
      return 'hang_up';
  }
}

function ending(reason: EndReason | null): string {
  return reason === null ? 'the call continues' : `the call has ended: ${reason}`;
}
