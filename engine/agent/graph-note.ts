/** A finding about the graph of an agent. `path` is the field in the request: `states[2].tools[0].url`. */
export interface GraphNote {
  readonly path: string;
  readonly message: string;
}
