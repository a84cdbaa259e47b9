/**
 * A response with headers as text. Node checks the name and the value of every other header with regular expressions and adds
 * it on its own, which took 7 % of the time of ten images.
 */
const { ServerResponse } = process.getBuiltinModule('node:http');

/** Not documented: `writeHead` calls this with the status line and the headers that it was given. */
interface Storing {
  _storeHeader(statusLine: string, headers: unknown): void;
}

const { _storeHeader: storeHeader } = ServerResponse.prototype as unknown as Storing;

export class Response extends ServerResponse implements Storing {
  /** Valid lines that end with CRLF, to be sent before the headers given to `writeHead`. */
  headerLines = '';

  _storeHeader(statusLine: string, headers: unknown): void {
    storeHeader.call(this, statusLine + this.headerLines, headers);
  }
}
