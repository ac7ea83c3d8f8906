import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { AgentItem, HistoryItem } from '../core/state/transcript-slice.ts';
import type { ModelMessage, ModelToolCall } from '../ports/language-model.ts';

/** Tool call ids that every provider accepts. */
const TOOL_CALL_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Returns the id of the item. */
export function addUserText(step: RuleStep, text: string): number {
  const id = step.nextNumber('item');
  add(step, { type: 'user', id, text });
  return id;
}

/** Replaces the user's words in an item; a note behind them stays. */
export function amendUserText(step: RuleStep, id: number, earlier: string, text: string): void {
  step.change({
    history: step.context.history.map((item) =>
      item.type === 'user' && item.id === id ? { ...item, text: item.text.replace(earlier, () => text) } : item,
    ),
  });
}

/** Adds an empty agent item and returns its id. Text and calls are added to it later. */
export function addAgentItem(step: RuleStep): number {
  const id = step.nextNumber('item');
  add(step, { type: 'agent', id, text: '', playedText: null, calls: [], entry: null });
  return id;
}

export function addToolResult(step: RuleStep, toolCallId: string, content: string): void {
  add(step, { type: 'result', id: step.nextNumber('item'), toolCallId, content });
}

/** Replaces the result of a tool call, for example after an interrupted goodbye. */
export function amendToolResult(step: RuleStep, toolCallId: string, content: string): void {
  step.change({
    history: step.context.history.map((item) =>
      item.type === 'result' && item.toolCallId === toolCallId ? { ...item, content } : item,
    ),
  });
}

export function agentItem(context: CallContext, id: number): AgentItem | undefined {
  return context.history.find((item): item is AgentItem => item.type === 'agent' && item.id === id);
}

export function changeAgentItem(step: RuleStep, id: number, changed: Partial<AgentItem>): void {
  step.change({
    history: step.context.history.map((item) =>
      item.type === 'agent' && item.id === id ? { ...item, ...changed } : item,
    ),
  });
}

/** The ids of the tool calls in these items. */
export function toolCallIds(history: readonly HistoryItem[]): readonly string[] {
  return history.flatMap((item) => (item.type === 'agent' ? item.calls.map(({ id }) => id) : []));
}

/** Gives each tool call an id that is unique within the phone call and that every provider accepts. */
export function withUniqueToolCallIds(
  { history, summary }: CallContext,
  calls: readonly ModelToolCall[],
  generation: number,
): readonly ModelToolCall[] {
  const taken = new Set([...summary.callIds, ...toolCallIds(history)]);
  return calls.map((call, index) => {
    const generated = `call_${generation}_${index}`;
    let id = TOOL_CALL_ID.test(call.id) ? call.id : generated;
    for (let attempt = 0; taken.has(id); attempt++) id = attempt === 0 ? generated : `${generated}_${attempt}`;
    taken.add(id);
    return { ...call, id };
  });
}

/**
 * The conversation in the form that strict providers accept: played text only, each tool call directly followed by its
 * result, no empty message, and no two messages of one party in a row.
 */
export function historyMessages(history: readonly HistoryItem[]): readonly ModelMessage[] {
  const results = new Map(history.flatMap((item) => (item.type === 'result' ? [[item.toolCallId, item.content]] : [])));
  const messages: ModelMessage[] = [];
  for (const item of history) {
    if (item.type === 'user') pushMerged(messages, { role: 'user', content: item.text });
    if (item.type === 'agent') pushAgent(messages, item, results);
  }
  return messages;
}

function pushAgent(messages: ModelMessage[], item: AgentItem, results: ReadonlyMap<string, string>): void {
  const content = item.playedText ?? item.text;
  // Providers reject a tool call without a result: a running one is left out.
  const calls = item.calls.filter((call) => results.has(call.id));
  if (calls.length === 0) {
    if (content !== '') pushMerged(messages, { role: 'assistant', content });
    return;
  }
  pushMerged(messages, { role: 'assistant', content, toolCalls: calls });
  for (const call of calls) messages.push({ role: 'tool', toolCallId: call.id, content: results.get(call.id) ?? '' });
}

type SpokenMessage = Extract<ModelMessage, { readonly role: 'user' | 'assistant' }>;

function pushMerged(messages: ModelMessage[], message: SpokenMessage): void {
  const last = messages.at(-1);
  const calls = last?.role === 'assistant' ? last.toolCalls : undefined;
  if (last === undefined || last.role !== message.role || calls !== undefined) {
    messages.push(message);
    return;
  }
  messages[messages.length - 1] = { ...message, content: joinTexts(last.content, message.content) };
}

export function joinTexts(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}

function add(step: RuleStep, item: HistoryItem): void {
  step.change({ history: [...step.context.history, item] });
}
