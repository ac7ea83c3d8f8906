import type { JsonValue } from '../agent/json-value.ts';
import { textOf } from '../agent/templates.ts';

/** Line breaks and control characters; U+2028 and U+2029 are line breaks outside the control characters. */
const BREAKING = /[\p{Cc}\u2028\u2029]/u;
/** Longer values are more than a name, a number or an address. */
const PLAIN_LENGTH_MAX = 60;
/** The end of a sentence before more words, a label, quotation marks, brackets. An apostrophe is part of a name. */
const SENTENCE_LIKE = /[.!?;…]\s|[。！？：]|\p{L}\s*:|["“”„«»`<>[\]]/u;
/** The breaking characters that JSON allows inside strings. */
const UNESCAPED = /[\u007f-\u009f\u2028\u2029]/g;

/**
 * A text as data inside a line of a prompt. Users, tools and models choose such texts; a line break in one would
 * start a line that the model cannot tell from an instruction. A text with line breaks or control characters is
 * quoted as a JSON string, any other stays as it is: a label or words of the prompt are before it in its line.
 */
export function promptText(text: string): string {
  return BREAKING.test(text) ? quotedText(text) : text;
}

/** A text as a JSON string, on one line: data also where it begins the line. */
export function quotedText(text: string): string {
  return escaped(JSON.stringify(text));
}

/**
 * A value as data inside a sentence or line of a prompt. Objects and arrays are JSON. A text that could pass for words of the prompt
 * itself is quoted. Short names, numbers and addresses stay as they are.
 */
export function promptValue(value: JsonValue): string {
  if (value !== null && typeof value === 'object') return escaped(JSON.stringify(value));
  const text = textOf(value);
  return text.length > PLAIN_LENGTH_MAX || SENTENCE_LIKE.test(text) ? quotedText(text) : promptText(text);
}

function escaped(json: string): string {
  return json.replace(UNESCAPED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
