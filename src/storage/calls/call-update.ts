import { sql } from 'kysely';
import { databaseNowMs } from '../database/database-clock.ts';
import { type BoundStatement, PreparedVariants, prepared } from '../database/prepared-statement.ts';
import type { CallStatus } from '../schema/call-status.ts';
import type { CallTable } from '../schema/tables.ts';

/** Conditions of the update; absent: none. The update changes no row if one fails. */
export interface CallConditions {
  readonly from?: readonly CallStatus[];
  /** The call has this Call-ID, or none yet. */
  readonly ofSipCallId?: string;
  /** Whether the staging deadline has passed. */
  readonly staging?: StagingCondition;
  /** Whether the recording is complete has not been stored yet. */
  readonly hasUnknownRecording?: boolean;
}

export interface StagingCondition {
  readonly isDue: boolean;
  /** Ms since 1970; null: by the clock of PostgreSQL, which all nodes share. */
  readonly nowMs: number | null;
}

/** A deadline by the clock of PostgreSQL, in place of one by the clock of this node. */
interface SharedDeadline {
  /** Time from now to the staging deadline, ms. */
  readonly stagedForMs: number;
}

interface Variant {
  readonly columns: readonly (keyof CallTable)[];
  readonly from: readonly CallStatus[] | null;
  readonly hasSipCallId: boolean;
  readonly staging: { readonly isDue: boolean; readonly isShared: boolean } | null;
  readonly setsDeadline: boolean;
  readonly hasUnknownRecording: boolean;
}

interface Values {
  readonly [column: string]: string | number | null;
  readonly callId: string;
  readonly ofSipCallId: string;
  readonly nowMs: number;
  readonly stagedForMs: number;
}

/** For the slots of absent conditions, which the statement does not have. */
const UNUSED = { ofSipCallId: '', nowMs: 0, stagedForMs: 0 };

/** Changes columns of one call, one at least. */
export function updateCall(
  callId: string,
  columns: Partial<CallTable>,
  { from, hasUnknownRecording = false, ofSipCallId, staging }: CallConditions = {},
  deadline?: SharedDeadline,
): BoundStatement<unknown> {
  const variant: Variant = {
    columns: namesOf(columns),
    from: from ?? null,
    hasSipCallId: ofSipCallId !== undefined,
    staging: staging === undefined ? null : { isDue: staging.isDue, isShared: staging.nowMs === null },
    setsDeadline: deadline !== undefined,
    hasUnknownRecording,
  };
  return UPDATE.of(variant).with({
    ...UNUSED,
    ...(ofSipCallId !== undefined && { ofSipCallId }),
    ...(staging !== undefined && staging.nowMs !== null && { nowMs: staging.nowMs }),
    ...deadline,
    ...columns,
    callId,
  });
}

const UPDATE = new PreparedVariants(
  ({ columns, from, hasSipCallId, hasUnknownRecording, setsDeadline, staging }: Variant) =>
    prepared<Values>()((query, slot) => {
      const update = columns.reduce((set, column) => set.set(column, slot(column)), query.updateTable('calls'));
      const sharedNowMs = databaseNowMs('postgres');
      return update
        .$if(setsDeadline, (own) =>
          own.set('staging_deadline_ms', sql<number>`${sharedNowMs} + CAST(${slot('stagedForMs')} AS bigint)`),
        )
        .where('id', '=', slot('callId'))
        .$if(from !== null, (own) => own.where('status', 'in', from ?? []))
        .$if(hasSipCallId, (own) =>
          own.where((eb) => eb.or([eb('sip_call_id', 'is', null), eb('sip_call_id', '=', slot('ofSipCallId'))])),
        )
        .$if(hasUnknownRecording, (own) => own.where('recording_complete', 'is', null))
        .$if(staging !== null, (own) =>
          own.where(
            'staging_deadline_ms',
            staging?.isDue ? '<=' : '>',
            staging?.isShared ? sharedNowMs : slot('nowMs'),
          ),
        );
    }),
);

/** The names of the values that are given. */
function namesOf<T extends object>(values: T): (keyof T)[] {
  const names: (keyof T)[] = [];
  for (const name in values) if (values[name] !== undefined) names.push(name);
  return names;
}
