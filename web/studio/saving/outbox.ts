/**
 * What waits to be saved. An edit is kept in the browser, then shown, and sent: together with those that came meanwhile, in
 * their order, and again until the studio has answered. It applies each once.
 */
import type { Applied, Changed, Rating, WaitingEdit } from '../../../src/studio/contract.ts';
import { change, get, Refused } from '../shared/api.ts';
import { IdList } from '../shared/id-list.ts';
import { explain } from '../shared/notices.ts';

const RETRY_MS = 2000;
/** Of a request. The server accepts so many, and the ids of so many pictures. */
const MAX_EDITS = 500;
const MAX_IMAGES = 200_000;
/** The studio will never accept such a request. */
const INVALID = [400, 413];

type NewEdit = WaitingEdit extends infer Edit ? (Edit extends unknown ? Omit<Edit, 'id'> : never) : never;

export interface Answer extends Applied {
  edit: WaitingEdit;
  /** Another page made it, before this one was opened. */
  isOlder: boolean;
}

interface Listener {
  /** Something else waits. */
  onWaiting(): void;
  onAnswers(answers: Answer[], changed: Changed): void;
}

export class Outbox {
  readonly #listener: Listener;
  readonly #store = new EditStore();
  readonly #page = new IdList(crypto.getRandomValues(new Uint8Array(16))).at(0);
  #count = 0;
  #owner: Promise<Owner> | undefined;
  #waiting: KeptEdit[] = [];
  #ratings = new Map<string, Rating>();
  #sending: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #maxEdits = MAX_EDITS;
  /** Why nothing could be sent the last time. */
  problem = '';

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  get waiting(): WaitingEdit[] {
    return this.#waiting.map(({ edit }) => edit);
  }

  /** What somebody rated the picture, but the studio does not know yet. */
  ratingOf(id: string): Rating | undefined {
    return this.#ratings.get(id);
  }

  /** Sends what other pages left behind. */
  async resume(): Promise<void> {
    addEventListener('online', () => void this.send());
    addEventListener('beforeunload', (event) => {
      if (this.#waiting.length > 0) event.preventDefault();
    });
    this.#show(await this.#store.read(await this.#getOwner()));
    void this.send();
  }

  /** Resolves when it is kept and shown. */
  async add(edit: NewEdit): Promise<void> {
    const id = `${this.#page}-${++this.#count}`;
    this.#show([...this.#waiting, await this.#store.keep(await this.#getOwner(), { id, ...edit })]);
    void this.send();
  }

  /** Resolves when everything is saved, or when that failed; it then tries again after a while. */
  send(): Promise<void> {
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
      if (this.#waiting.length > 0)
        this.#timer = setTimeout(() => void this.send(), this.problem ? RETRY_MS : 0);
    });
    return this.#sending;
  }

  async #send(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      while (this.#waiting.length > 0) await this.#sendBatch(nextBatch(this.#waiting, this.#maxEdits));
      [this.problem, this.#maxEdits] = ['', MAX_EDITS];
    } catch (error) {
      const { message } = error as Error;
      if (this.problem !== message) explain(error);
      this.problem = message;
      this.#listener.onWaiting();
    }
  }

  async #sendBatch(batch: KeptEdit[]): Promise<void> {
    try {
      const edits = batch.map(({ edit }) => edit);
      const owner = await this.#getOwner();
      const { applied, ...changed } = await change('/change/images', { ...owner, edits });
      this.#answer(batch, applied, changed);
    } catch (error) {
      if (!(error instanceof Refused && INVALID.includes(error.status))) throw error;
      // Only one of them need be invalid.
      this.#maxEdits = 1;
      const refused = batch.map(({ edit: { id } }) => ({ id, refused: error.message }));
      if (batch.length === 1) this.#answer(batch, refused, await get('/data/steps', {}));
    }
  }

  #answer(batch: KeptEdit[], applied: Applied[], changed: Changed): void {
    void this.#store.forget(batch);
    this.problem = '';
    this.#show(this.#waiting.slice(batch.length));
    const answers = applied.map((answer, index) => {
      const { edit } = batch[index] as KeptEdit;
      return { ...answer, edit, isOlder: !edit.id.startsWith(this.#page) };
    });
    this.#listener.onAnswers(answers, changed);
  }

  #show(waiting: KeptEdit[]): void {
    this.#waiting = waiting;
    const edits = this.waiting;
    const undone = new Set(edits.map((edit) => ('undoes' in edit ? edit.undoes : undefined)));
    this.#ratings = new Map(
      edits.flatMap((edit) => {
        const rating = 'edit' in edit && !undone.has(edit.id) ? edit.edit.rating : undefined;
        return rating && 'ids' in edit ? edit.ids.map((id): [string, Rating] => [id, rating]) : [];
      }),
    );
    this.#listener.onWaiting();
  }

  /** Asks again if it failed. */
  async #getOwner(): Promise<Owner> {
    this.#owner ??= get('/data/session', {}).then(({ catalogue, user = '' }) => ({ catalogue, user }));
    return this.#owner.catch((error) => {
      this.#owner = undefined;
      throw error;
    });
  }
}

function nextBatch(waiting: KeptEdit[], max: number): KeptEdit[] {
  let images = 0;
  const end = waiting.findIndex(({ edit }, index) => {
    images += 'ids' in edit ? edit.ids.length : 0;
    return index > 0 && (index >= max || images > MAX_IMAGES);
  });
  return end < 0 ? waiting.slice() : waiting.slice(0, end);
}

// Keeps edits in the browser until they are saved. In IndexedDB: a killed browser loses what local storage was given in the
// last seconds.

/** Whose edits these are. They are never sent for another person, nor to another catalogue. */
interface Owner {
  catalogue: string;
  user: string;
}

interface KeptEdit {
  /** Where it is kept; undefined if the browser denies that. */
  key: number | undefined;
  edit: WaitingEdit;
}

const STORE = 'edits';

class EditStore {
  #database: Promise<IDBDatabase> | undefined;

  /** In the order in which they were made. */
  async read({ catalogue, user }: Owner): Promise<KeptEdit[]> {
    try {
      const edits = await this.#open('readonly');
      const [keys, values] = await Promise.all([toPromise(edits.getAllKeys()), toPromise(edits.getAll())]);
      return values.flatMap(({ edit, ...owner }: Owner & KeptEdit, index) =>
        owner.catalogue === catalogue && owner.user === user ? [{ key: keys[index] as number, edit }] : [],
      );
    } catch {
      return [];
    }
  }

  async keep(owner: Owner, edit: WaitingEdit): Promise<KeptEdit> {
    try {
      const edits = await this.#open('readwrite');
      const key = edits.add({ ...owner, edit });
      await toPromise(edits.transaction);
      return { key: key.result as number, edit };
    } catch {
      return { key: undefined, edit };
    }
  }

  async forget(kept: KeptEdit[]): Promise<void> {
    try {
      const edits = await this.#open('readwrite');
      for (const { key } of kept) if (key !== undefined) edits.delete(key);
    } catch {
      // The studio knows what it has applied.
    }
  }

  async #open(mode: IDBTransactionMode): Promise<IDBObjectStore> {
    this.#database ??= openDatabase();
    return (await this.#database).transaction(STORE, mode).objectStore(STORE);
  }
}

function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open('zukan-studio', 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE, { autoIncrement: true });
  return toPromise(request);
}

function toPromise<T>(request: IDBRequest<T>): Promise<T>;
function toPromise(request: IDBTransaction): Promise<void>;
function toPromise(request: IDBRequest | IDBTransaction): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const done = () => resolve('result' in request ? request.result : undefined);
    Object.assign(request, { onsuccess: done, oncomplete: done, onerror: () => reject(request.error) });
  });
}
