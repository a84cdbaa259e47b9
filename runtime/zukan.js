#!/usr/bin/env node
// npm links this as node_modules/.bin/zukan, next to the Node of this workspace. If the root package had the `bin`, npx
// would install the whole checkout into its cache first.
import '../bin/zukan.js';
