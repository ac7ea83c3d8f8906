/** The fields of the general form, with the paths that findings name. */
const GENERAL_FIELDS = [
  'name',
  'language',
  'initial_message',
  'base_prompt',
  'llm.provider',
  'llm.model',
  'llm.temperature',
  'voice.provider',
  'voice.name',
  'voice.speed',
  'transcriber.provider',
  'transcriber.model',
  'max_call_duration',
] as const;
export type GeneralField = (typeof GENERAL_FIELDS)[number];

/** null: the general form does not have the field. */
export function generalField(path: string): GeneralField | null {
  return GENERAL_FIELDS.find((field) => field === path) ?? null;
}

/** Id of the field in the page. */
export function generalFieldId(field: GeneralField): string {
  return `agent-${field}`;
}
