import { z } from 'zod';
import { type callSchema, transcriptEntrySchema } from '../service/rig/api-client.ts';
import type { Terminal } from './terminal.ts';
import type { WebhookEvent } from './webhook-receiver.ts';

const LATENCY_POLL_MS = 400;

const entryEvent = z.object({ entry: transcriptEntrySchema });
const stateEvent = z.object({ from: z.string().nullable(), to: z.string() });
const statusEvent = z.object({ status: z.string(), end_reason: z.string().optional() });
const toolEvent = z.object({ name: z.string(), successful: z.boolean() });
const variableEvent = z.object({ name: z.string(), value: z.unknown() });
const turns = z.looseObject({
  per_turn: z.array(
    z.object({
      turn: z.number(),
      endpointing_ms: z.number().nullable(),
      llm_first_token_ms: z.number().nullable(),
      voice_first_audio_ms: z.number().nullable(),
      engine_ms: z.number().nullable(),
      response_ms: z.number().nullable(),
    }),
  ),
});

export interface Narrator {
  event(event: WebhookEvent): void;
  /** Prints each turn's latency once, as the API reports it, until stopped. */
  followLatency(ask: () => Promise<z.output<typeof callSchema>>): { stop(): void };
  stateCount(agent: unknown): number;
}

/** Prints a call from its webhooks. */
export function createNarrator(terminal: Terminal): Narrator {
  /** Printed text of each transcript line, by sequence: only the new part of a growing line is printed. */
  const printed = new Map<number, string>();
  const printedTurns = new Set<number>();

  const speech = (data: unknown) => {
    const { entry } = entryEvent.parse(data);
    const atMs = Date.parse(entry.start_time);
    const before = printed.get(entry.sequence);
    if (before === entry.content && entry.interrupted !== true) return;
    printed.set(entry.sequence, entry.content);
    if (entry.role === 'user') terminal.line('caller', 'caller', entry.content, atMs);
    else if (entry.role === 'agent') agentLine(terminal, entry, before, atMs);
    else if (entry.role === 'tool_call')
      terminal.line('tool', 'tool', `${entry.name}(${JSON.stringify(entry.arguments)})`, atMs);
    else if (entry.role === 'tool_response') terminal.line('tool', 'tool says', entry.content, atMs);
  };

  return {
    event({ type, data }) {
      const now = Date.now();
      switch (type) {
        case 'event_call_status_changed': {
          const { status, end_reason: reason } = statusEvent.parse(data);
          if (status === 'in_progress') terminal.start(now);
          terminal.line('note', 'status', reason === undefined ? status : `${status} (${reason})`, now);
          break;
        }
        case 'event_transcript_updated':
          speech(data);
          break;
        case 'event_state_changed': {
          const { from, to } = stateEvent.parse(data);
          terminal.line('state', 'state', from === null ? to : `${from} → ${to}`, now);
          break;
        }
        case 'event_tool_called': {
          const { name, successful } = toolEvent.parse(data);
          terminal.line('tool', 'tool', `${name} ${successful ? 'succeeded' : 'failed'}`, now);
          break;
        }
        case 'event_variable_value_updated': {
          const { name, value } = variableEvent.parse(data);
          terminal.line('value', 'variable', `${name} = ${JSON.stringify(value)}`, now);
          break;
        }
        default:
          break;
      }
    },
    followLatency(ask) {
      const look = async () => {
        const { per_turn } = turns.parse((await ask()).metrics);
        for (const turn of per_turn) {
          if (printedTurns.has(turn.turn) || turn.response_ms === null) continue;
          printedTurns.add(turn.turn);
          terminal.line('note', 'latency', latency(turn), Date.now());
        }
      };
      const timer = setInterval(() => look().catch(() => {}), LATENCY_POLL_MS);
      return { stop: () => clearInterval(timer) };
    },
    stateCount: (agent) => z.object({ states: z.array(z.unknown()) }).parse(agent).states.length,
  };
}

function agentLine(
  terminal: Terminal,
  entry: z.output<typeof transcriptEntrySchema>,
  before: string | undefined,
  atMs: number,
): void {
  if (entry.interrupted === true) {
    terminal.line('bad', 'interrupted', `the caller heard: “${entry.content}”`, Date.now());
    return;
  }
  const grown = before !== undefined && entry.content.startsWith(before) ? entry.content.slice(before.length) : null;
  if (grown === null || before === undefined) terminal.line('agent', 'agent', entry.content, atMs);
  else terminal.line('agent', '', grown.trim(), Date.now());
}

function latency(turn: z.output<typeof turns>['per_turn'][number]): string {
  const part = (name: string, ms: number | null) => (ms === null ? '' : `, ${name} ${Math.round(ms)}`);
  return `${Math.round(turn.response_ms ?? 0)} ms to the first word${part('endpointing', turn.endpointing_ms)}${part('model', turn.llm_first_token_ms)}${part('voice', turn.voice_first_audio_ms)}${part('Trunkline itself', turn.engine_ms)}`;
}
