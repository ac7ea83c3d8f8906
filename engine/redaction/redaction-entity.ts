/** The kinds of personal data that redaction finds. The names are those of the API. */
export const REDACTION_ENTITIES = ['card', 'iban', 'email', 'phone', 'ssn', 'national_id'] as const;
export type RedactionEntity = (typeof REDACTION_ENTITIES)[number];

/** A stretch of a text that holds an entity: indices of UTF-16 units, `to` is exclusive. */
export interface EntitySpan {
  readonly entity: RedactionEntity;
  readonly from: number;
  readonly to: number;
}
