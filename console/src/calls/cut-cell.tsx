/** A cell of a wide window that shows two lines of its text at most. */
export function CutCell({ text }: { readonly text: string }) {
  return (
    <td className="wide-only cut-cell" title={text}>
      <span className="cut-lines">{text}</span>
    </td>
  );
}
