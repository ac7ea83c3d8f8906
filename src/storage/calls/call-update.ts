import { type BoundStatement, PreparedVariants, prepared } from '../database/prepared-statement.ts';
import type { CallStatus } from '../schema/call-status.ts';
import type { CallTable } from '../schema/tables.ts';

/** Conditions of the update; absent: none. The update changes no row if one fails. */
export interface CallConditions {
  readonly from?: readonly CallStatus[];
  /** The call has this Call-ID, or none yet. */
  readonly ofSipCallId?: string;
  /** The staging deadline is not after this, ms since 1970. */
  readonly dueMs?: number;
  /** The staging deadline is after this. */
  readonly notDueMs?: number;
  /** Whether the recording is complete has not been stored yet. */
  readonly hasUnknownRecording?: boolean;
}

interface Variant {
  readonly columns: readonly (keyof CallTable)[];
  readonly from: readonly CallStatus[] | null;
  readonly conditions: readonly ('ofSipCallId' | 'dueMs' | 'notDueMs')[];
  readonly hasUnknownRecording: boolean;
}

interface Values {
  readonly [column: string]: string | number | null;
  readonly callId: string;
  readonly ofSipCallId: string;
  readonly dueMs: number;
  readonly notDueMs: number;
}

/** For the slots of absent conditions, which the statement does not have. */
const UNUSED = { ofSipCallId: '', dueMs: 0, notDueMs: 0 };

/** Changes columns of one call, one at least. */
export function updateCall(
  callId: string,
  columns: Partial<CallTable>,
  { from, hasUnknownRecording = false, ...conditions }: CallConditions = {},
): BoundStatement<unknown> {
  const variant: Variant = {
    columns: namesOf(columns),
    from: from ?? null,
    conditions: namesOf(conditions),
    hasUnknownRecording,
  };
  return UPDATE.of(variant).with({ ...UNUSED, ...conditions, ...columns, callId });
}

const UPDATE = new PreparedVariants(({ columns, conditions, from, hasUnknownRecording }: Variant) =>
  prepared<Values>()((query, slot) => {
    const update = columns.reduce((set, column) => set.set(column, slot(column)), query.updateTable('calls'));
    return update
      .where('id', '=', slot('callId'))
      .$if(from !== null, (own) => own.where('status', 'in', from ?? []))
      .$if(conditions.includes('ofSipCallId'), (own) =>
        own.where((eb) => eb.or([eb('sip_call_id', 'is', null), eb('sip_call_id', '=', slot('ofSipCallId'))])),
      )
      .$if(hasUnknownRecording, (own) => own.where('recording_complete', 'is', null))
      .$if(conditions.includes('dueMs'), (own) => own.where('staging_deadline_ms', '<=', slot('dueMs')))
      .$if(conditions.includes('notDueMs'), (own) => own.where('staging_deadline_ms', '>', slot('notDueMs')));
  }),
);

/** The names of the values that are given. */
function namesOf<T extends object>(values: T): (keyof T)[] {
  const names: (keyof T)[] = [];
  for (const name in values) if (values[name] !== undefined) names.push(name);
  return names;
}
