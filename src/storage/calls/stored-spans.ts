import { type CallSpan, laterBy, type SpansEntry } from '../../../engine/timeline/call-span.ts';
import type { Database, Step } from '../database/database.ts';
import { prepared } from '../database/prepared-statement.ts';
import { storableJson } from '../link/storable-text.ts';

const STORE = prepared<{ callId: string; part: number; spansJson: string }>()((query, slot) =>
  query
    .insertInto('call_spans')
    .values({ call_id: slot('callId'), part: slot('part'), spans_json: slot('spansJson') })
    .onConflict((conflict) =>
      conflict.columns(['call_id', 'part']).doUpdateSet((eb) => ({ spans_json: eb.ref('excluded.spans_json') })),
    ),
);

/** Stores a part of a call's spans. `startedWallMs`: wall clock at the call's engine time 0, ms since 1970. */
export function spansStep(callId: string, { part, spans }: SpansEntry, startedWallMs: number): Step {
  const spansJson = storableJson(spans.map((span) => laterBy(span, startedWallMs * 1_000)));
  return { statement: STORE.with({ callId, part, spansJson }) };
}

const FIND = prepared<{ callId: string }>()((query, slot) =>
  query.selectFrom('call_spans').select('spans_json').where('call_id', '=', slot('callId')).orderBy('part'),
);

/** The spans of a call in the order of their ends, in µs since 1970. Rejects with a `DatabaseError`. */
export async function readSpans(database: Database, callId: string): Promise<CallSpan[]> {
  const rows = await database.rows(FIND.with({ callId }));
  return rows.flatMap((row) => JSON.parse(row.spans_json));
}
