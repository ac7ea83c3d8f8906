import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, foldGutter, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { linter, lintGutter } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import { SERVICE_URL } from '../../api/connection.ts';
import { STYLE_NONCE } from '../../ui/style-nonce.ts';
import { agentCompletion } from './json-completion.ts';

/** The colours of the page, light and dark. */
const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
]);

const COMPLETE = agentCompletion(async () => (await fetch(`${SERVICE_URL}/openapi.json`)).json());

interface JsonEditorProps {
  readonly label: string;
  readonly content: string;
  readonly isReadOnly: boolean;
  readonly onChange: (content: string) => void;
}

/** Edits JSON: faults of its form are marked while typing, fields and values are completed. The tab key leaves the editor, as everywhere on the page. */
export function JsonEditor({ label, content, isReadOnly, onChange }: JsonEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(null);
  const initial = useRef(content);
  useEffect(() => {
    if (place.current === null) return;
    const view = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: initial.current,
        extensions: [
          EditorView.cspNonce.of(STYLE_NONCE),
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorView.lineWrapping,
          EditorState.readOnly.of(isReadOnly),
          lineNumbers(),
          foldGutter(),
          history(),
          bracketMatching(),
          json(),
          linter(jsonParseLinter()),
          lintGutter(),
          closeBrackets(),
          autocompletion({ override: [COMPLETE] }),
          syntaxHighlighting(COLOURS),
          keymap.of([...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...historyKeymap]),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) onChange(state.doc.toString());
          }),
        ],
      }),
    });
    editor.current = view;
    return () => {
      initial.current = view.state.doc.toString();
      view.destroy();
    };
  }, [label, isReadOnly, onChange]);
  // A change of the text from outside, by a form or the graph, can be undone like one that was typed.
  useEffect(() => {
    const view = editor.current;
    if (view === null || view.state.doc.toString() === content) return;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: content } });
  }, [content]);
  return <div className="editor" ref={place} />;
}
