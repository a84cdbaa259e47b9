/**
 * Keeps edits in the browser until they are saved. In IndexedDB: a killed browser loses what local storage was given in the
 * last seconds.
 */
import type { WaitingEdit } from '../../src/studio/contract.ts';

/** Whose edits these are. They are never sent for another person, nor to another catalogue. */
export interface Owner {
  catalogue: string;
  user: string;
}

export interface KeptEdit {
  /** Where it is kept; undefined if the browser denies that. */
  key: number | undefined;
  edit: WaitingEdit;
}

const STORE = 'edits';
let database: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open('zukan-studio', 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE, { autoIncrement: true });
  return toPromise(request);
}

async function store(mode: IDBTransactionMode): Promise<IDBObjectStore> {
  database ??= open();
  return (await database).transaction(STORE, mode).objectStore(STORE);
}

/** In the order in which they were made. */
export async function readKept({ catalogue, user }: Owner): Promise<KeptEdit[]> {
  try {
    const edits = await store('readonly');
    const [keys, values] = await Promise.all([toPromise(edits.getAllKeys()), toPromise(edits.getAll())]);
    return values.flatMap(({ edit, ...owner }: Owner & KeptEdit, index) =>
      owner.catalogue === catalogue && owner.user === user ? [{ key: keys[index] as number, edit }] : [],
    );
  } catch {
    return [];
  }
}

export async function keep(owner: Owner, edit: WaitingEdit): Promise<KeptEdit> {
  try {
    const edits = await store('readwrite');
    const key = edits.add({ ...owner, edit });
    await toPromise(edits.transaction);
    return { key: key.result as number, edit };
  } catch {
    return { key: undefined, edit };
  }
}

export async function forget(kept: KeptEdit[]): Promise<void> {
  try {
    const edits = await store('readwrite');
    for (const { key } of kept) if (key !== undefined) edits.delete(key);
  } catch {
    // The studio knows what it has applied.
  }
}

function toPromise<T>(request: IDBRequest<T>): Promise<T>;
function toPromise(request: IDBTransaction): Promise<void>;
function toPromise(request: IDBRequest | IDBTransaction): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const done = () => resolve('result' in request ? request.result : undefined);
    Object.assign(request, { onsuccess: done, oncomplete: done, onerror: () => reject(request.error) });
  });
}
