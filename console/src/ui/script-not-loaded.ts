/** A script of the console that could not be fetched: the service is down, or serves another version by now. */
export class ScriptNotLoaded extends Error {
  constructor(options?: ErrorOptions) {
    super('a script of the console could not be loaded', options);
    this.name = 'ScriptNotLoaded';
  }
}

/**
 * A dynamic import with an error of our own. The router recognizes the browser's error by its message and reloads the page at once:
 * while the service is down, that ends in the browser's error page.
 *
 * @throws ScriptNotLoaded
 */
export async function loadedScript<T>(script: Promise<T>): Promise<T> {
  try {
    return await script;
  } catch (error) {
    throw new ScriptNotLoaded({ cause: error });
  }
}
