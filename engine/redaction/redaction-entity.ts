/** The kinds of personal data that redaction finds. The names are those of the API. */
export const REDACTION_ENTITIES = ['card', 'iban', 'email', 'phone', 'ssn', 'national_id'] as const;
export type RedactionEntity = (typeof REDACTION_ENTITIES)[number];

/** A stretch of a text: indices of UTF-16 units, `to` is exclusive. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** A stretch of a text that holds an entity. */
export interface EntitySpan extends TextRange {
  readonly entity: RedactionEntity;
  /** The digits and letters of a number of which the span is one part of several. Absent: the span is the whole entity. */
  readonly characters?: string;
}
