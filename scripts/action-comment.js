// The step of action.yml that shows a report in the pull request.
import { showReport } from './action/comment.js';

await showReport(process.env, (line) => console.log(line));
