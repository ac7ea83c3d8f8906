import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { STYLE_NONCE } from '../../ui/style-nonce.ts';

/** A fault at its place in the text. Lines and columns count from 1. */
export interface Mark {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

interface CodeEditorProps {
  readonly label: string;
  readonly content: string;
  readonly isReadOnly: boolean;
  readonly onChange: (content: string) => void;
  /** Editor extensions for the language of the text. Pass the same object at each rendering. */
  readonly language: Extension;
  /** Faults that are marked until the text changes. Pass the same object at each rendering. */
  readonly marks?: readonly Mark[];
}

const NO_MARKS: readonly Mark[] = [];
/** Changes in a running editor, which keeps its history, cursor and scroll position. */
const READ_ONLY = new Compartment();

/** Edits a text with line numbers. The tab key leaves the editor, as everywhere on the page. */
export function CodeEditor({ label, content, isReadOnly, onChange, language, marks = NO_MARKS }: CodeEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(null);
  const initial = useRef({ content, isReadOnly });
  useEffect(() => {
    if (place.current === null) return;
    const view = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: initial.current.content,
        extensions: [
          EditorView.cspNonce.of(STYLE_NONCE),
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorView.lineWrapping,
          READ_ONLY.of(EditorState.readOnly.of(initial.current.isReadOnly)),
          lineNumbers(),
          history(),
          bracketMatching(),
          lintGutter(),
          closeBrackets(),
          language,
          keymap.of([...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...historyKeymap]),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) onChange(state.doc.toString());
          }),
        ],
      }),
    });
    editor.current = view;
    return () => {
      initial.current = { content: view.state.doc.toString(), isReadOnly: view.state.readOnly };
      view.destroy();
    };
  }, [label, onChange, language]);
  useEffect(() => {
    editor.current?.dispatch({ effects: READ_ONLY.reconfigure(EditorState.readOnly.of(isReadOnly)) });
  }, [isReadOnly]);
  // A change of the text from outside, by a form or the graph, can be undone like one that was typed. Compared while the rendering is
  // committed: a passive effect runs later, and would replace what was typed in between by the text of the rendering.
  useLayoutEffect(() => {
    const view = editor.current;
    if (view === null || view.state.doc.toString() === content) return;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: content } });
  }, [content]);
  useEffect(() => {
    const view = editor.current;
    if (view === null || marks === NO_MARKS) return;
    view.dispatch(
      setDiagnostics(
        view.state,
        marks.map((mark) => diagnosticOf(view.state, mark)),
      ),
    );
  }, [marks]);
  return <div className="editor" ref={place} />;
}

function diagnosticOf({ doc }: EditorState, { line, column, message }: Mark): Diagnostic {
  const marked = doc.line(Math.min(line, doc.lines));
  const from = Math.min(marked.from + column - 1, marked.to);
  return { from, to: marked.to, severity: 'error', message };
}
