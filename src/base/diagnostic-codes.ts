/** Every diagnostic code, grouped by subject. docs/diagnostics.md is generated from this table. */
export const diagnosticCodes = {
  Files: {
    'file-not-found': 'a path does not exist → check the path; relative paths start at the current folder',
    'file-unreadable': 'the path cannot be read, or is not a file or folder → check its permissions and type',
    'no-manifests':
      'a folder or a pattern contains no `*.yaml` or `*.yml` file → give another folder or pattern',
    'not-a-manifest':
      'the file is a saved plan, a Terraform state or a blueprint → give the path of a manifest; apply a plan with `rollcall apply --plan FILE`',
    'file-too-large': 'the file is larger than 16 MiB → split it into several files',
    'forbidden-file':
      'the file contains the token or a key, is the `rollcall.yaml` in use, or lies in `/proc`, `/sys` or `/dev` → give another file',
    'outside-project':
      '`manifests` or `vars_files` has a path outside of the folder of `rollcall.yaml` → move the files into this folder, or give their paths on the command line',
    'too-many-files':
      'more than 50,000 files and folders are below a given folder → give a narrower folder or pattern',
    'link-outside':
      'a link leads out of the given folder, or to a target outside of the working directory and of the folder that contains the link → give the target of the link',
    'link-loop': 'a link leads back to a folder that contains it → remove the link',
    'too-many-resources':
      'more than 100,000 resources are declared → run rollcall on some of the files at a time',
    'too-many-problems':
      'more than 1,000 problems were found in a file, or 100,000 in all → fix the first problems, then run again',
    'not-utf-8': 'the file is not valid UTF-8, or contains a NUL character → save it as UTF-8',
    'empty-file': 'the file declares nothing → begin with `version: 1` and a list such as `users`',
  },
  Tables: {
    'csv-syntax':
      'the cells of a table are ambiguous, or a column has no name or a duplicate name → quote each cell that contains a delimiter, a quote or a line end; double each quote inside the cell',
  },
  YAML: {
    'yaml-syntax': 'the file is not valid YAML → fix the line that is shown',
    'yaml-duplicate-key': 'a key occurs twice in one mapping → remove one of them',
    'yaml-unsupported':
      'the file has a second document, merge keys, custom tags, keys that are not strings, or the key `__proto__`, or exceeds the limits of nesting, aliases or values → write the values out; share common values with `defaults`',
  },
  References: {
    'invalid-reference':
      'a `${` does not begin a reference, a variable has the wrong type for its place, or a reference names a secret of rollcall or is not allowed → write `${var:NAME}`, `${env:NAME}`, `${file:PATH}`, `${text:PATH}`, or `$${` for a literal `${`',
    'unresolved-reference':
      'a variable, an environment variable or a file is missing → set it with `--var`, `--vars`, `rollcall.yaml` or the environment, or create the file',
    'unused-variable':
      'warning: no manifest refers to a variable that `--var` sets → correct the name, or leave the variable out',
    'secret-in-clear':
      'a manifest contains a secret in plain text → write `${env:NAME}` or `${file:PATH}` instead, and replace the exposed secret',
    'plain-http': 'warning: a URL at which people log in is not encrypted → write https://',
    'sensitive-name': 'a name comes from `${env:…}` or `${file:…}` → use `${var:…}`',
  },
  Fields: {
    'unknown-field': 'the field does not exist → fix the spelling',
    'missing-field': 'a required field is missing → add it',
    'wrong-type':
      'the value has the wrong type → write a value of the requested type; quote a number that is meant as a string',
    'invalid-value':
      'the value is not allowed, would be rounded in JSON, or is an access token → choose another value',
    'invalid-format':
      'the value does not have the format of its field, or every release rejects it → fix it as the hint describes',
    'rewritten-number':
      'warning: YAML reads a number differently from its spelling: 0755 as 755, 1.10 as 1.1 → quote it if it is meant as a string',
    'invalid-length': 'the value is empty or too long → fill it in or shorten it',
    'contract-only': 'a name is used in place of an id under `contract_only` → write the id',
    'name-not-found':
      'no record that the token can see has this name → correct the name, create the record, or grant the token the permission to view it',
    'id-not-found': 'no record has this id → correct the id, or write a name',
    'ambiguous-name': 'several records have this name → write the id',
    'name-taken':
      'a record of another type has this name, although the name must be unique across types → choose another name, or rename that record first',
  },
  'Rules over all files': {
    'duplicate-resource': 'a resource or value is declared twice → remove one of the two',
    'declared-of-absent':
      'an entry with `state: absent` declares more than its name → delete the other fields, or delete `state`',
    'names-absent':
      'a declared resource refers to a resource that should be absent → remove the reference, or keep the resource',
    'former-name':
      'the name in `formerly` is still declared, still referred to, or also the former name of another resource → remove `formerly`, rename in two steps, or write the new name',
    'shared-provider': 'two applications have the same main provider → declare a different provider for each',
    'provider-taken':
      'another application in the service already has this main provider → declare another provider, or remove the provider from that application first',
    'shared-backchannel-provider':
      'two applications have the same backchannel provider; the service would remove the provider from the first application → declare a different provider for each',
    'repeated-id': 'warning: an id occurs twice in one list → remove or correct one of the two',
    'circular-reference': 'a group is its own ancestor → remove one of the parents from the loop',
    'open-login':
      'a login flow lets in anyone who enters a user name → bind a stage that proves the identity before the login stage, or use `--allow open-login`',
    'similar-name':
      'warning: two names differ only in case or Unicode spelling → check that both are intended',
    'likely-refused':
      'warning: some services refuse this value, and others accept it → fix the value, or apply and see whether the service accepts it',
    'not-in-release':
      'the release of the service refuses or ignores a field or value (only a warning if the release is unknown) → change the field or value, or set `release` in rollcall.yaml',
    superseded: 'warning: the release has a newer form of a field or value → use the newer form',
    'same-order':
      'warning: two stages of a flow have the same order, so their sequence is undefined → change one of the orders',
    'strict-pattern':
      'warning: a strict redirect URI contains `*`, which matches only itself → write a regular expression',
    'no-time-zone': 'warning: a time has no offset from UTC and is read as UTC → add `Z` or the offset',
  },
  'The service': {
    'open-to-nobody':
      '`access: everyone` has no effect, because the service closes records without bindings → declare groups or users, or turn on the flag that opens such records',
    'service-refused-field':
      'the service refused the value of a field → read its message, and fix the line that is shown',
    'service-refused': 'the service refused a resource as a whole → read the message of the service',
    'service-denied':
      'the token is not permitted to do this (401 or 403) → check the token and its permissions',
    'service-read-only': 'the enterprise licence of the service allows no changes → renew it, then run again',
    'service-unreachable':
      'the service did not answer in time, or asked rollcall to wait → check the URL and the service; use `--wait 60` while the service is starting',
    'service-unexpected':
      'the answer does not come from the API: the URL is wrong, a proxy redirects, or the service crashed → check the URL, and any proxy in front of the service',
  },
  Plans: {
    'not-planned':
      'the resource depends on a resource that could not be planned → fix the problem of that resource',
    'not-created': 'the apply ended before it reached the resource → fix the cause, then apply again',
    differs:
      'a declared field has another value in the service, or a record is missing (an error with `--fail-on differs`) → change the manifest or the service, or turn on the capability `update`',
    'fail-on':
      'a condition of `--fail-on` holds, or could not be checked → declare or delete the resources that are named, or read what the plan opens',
    'broken-before':
      'warning: the manifests of `--baseline` are invalid or missing → check the folder; entries that cannot be read there count as added',
    'no-longer-declared':
      'warning: the entry is in the manifests of `--baseline`, but no longer declared → to delete the record, add the lines that are shown',
    'perhaps-hidden':
      "a record that this run created is hidden from the token; or, as a warning, the record of an entry with `state: absent` was not found, but the token is not a superuser's → check with a superuser's token",
    'not-as-declared':
      'the service returned a field with a different value than rollcall sent → set the field in the service; check whether the release has the field',
    'perhaps-incomplete':
      'the answer to a create was lost, and a record of this name now exists, perhaps without some of its fields → check the record in the service, especially its groups',
    'stale-plan': 'the saved plan differs from a plan made now → run `rollcall plan` again',
    'not-confirmed':
      'the question was not answered with yes → apply again and answer yes; if there is no terminal, use `--yes` or `--plan`',
    interrupted: 'the run was interrupted before the plan was complete → run the command again',
    'not-exported':
      '`export` could not read a record or field, or left it out → the message gives the reason',
    'invalid-usage': 'the command line or a setting is wrong → fix it as the hint describes',
    'unexpected-error':
      'rollcall has a bug; the outcome of each resource is still reported correctly → report the bug, then plan again',
    'too-many-updates':
      'the plan has more changes than `--max-updates` → read the plan, then raise the limit or select fewer resources',
    'too-many-deletes':
      'the plan deletes more than `--max-deletes`, or more than a tenth of the records of a kind → read the plan, then raise the limit',
    lockout:
      'the plan would probably keep people from logging in → remove that change, or use `--allow lockout`',
    'way-in':
      'the plan changes how people log in, and this was not confirmed → read the plan, then use `--allow way-in` or apply a saved plan',
    'way-in-lost':
      'people could log in before the apply, and the login flow no longer starts → in a session that is still open, restore the values that are shown',
    'not-allowed':
      'a saved plan has changes or risks that this run does not allow → use the same `--allow`, or make another plan',
    'changed-since-plan': 'the record has changed since the plan was made → plan again',
    'too-many-creates':
      'the plan has more creates than `--max-creates` → read the plan, then raise the limit or select fewer resources',
  },
} as const;

type Codes = typeof diagnosticCodes;
export type DiagnosticCode = { [Topic in keyof Codes]: keyof Codes[Topic] }[keyof Codes];
