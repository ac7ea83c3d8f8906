import { autocompletion } from '@codemirror/autocomplete';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { foldGutter, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { linter } from '@codemirror/lint';
import { hoverTooltip, type Tooltip } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect } from 'react';
import { SERVICE_URL } from '../../api/connection.ts';
import { HAS_REFERENCE } from '../../api/reference.ts';
import { apiDescription } from './api-description.ts';
import { CodeEditor } from './code-editor.tsx';
import { agentSchema } from './json-completion.ts';

/** The colours of the page, light and dark. */
const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
]);

const SCHEMA = agentSchema(async () => (HAS_REFERENCE ? apiDescription(`${SERVICE_URL}/openapi.json`) : null));

const JSON_LANGUAGE = [
  foldGutter(),
  json(),
  linter(jsonParseLinter()),
  autocompletion({ override: [SCHEMA.complete] }),
  hoverTooltip(({ state }, pos) => fieldHelp(state.doc.toString(), pos)),
  syntaxHighlighting(COLOURS),
];

async function fieldHelp(content: string, pos: number): Promise<Tooltip | null> {
  const found = await SCHEMA.explain({ content, pos });
  if (found === null) return null;
  const dom = document.createElement('div');
  dom.className = 'field-help';
  dom.textContent = found.description;
  return { pos: found.from, end: found.to, above: true, create: () => ({ dom }) };
}

interface JsonEditorProps {
  readonly label: string;
  readonly content: string;
  readonly isReadOnly: boolean;
  readonly onChange: (content: string) => void;
}

/** Edits JSON: faults of its form are marked while typing, fields and values are completed. */
export function JsonEditor(props: JsonEditorProps) {
  useEffect(() => void SCHEMA.prepare(), []);
  return <CodeEditor {...props} language={JSON_LANGUAGE} />;
}
