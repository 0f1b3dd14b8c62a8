//! Events that the driver makes for each command.

use opencl3::error_codes::ClError;
use opencl3::types::cl_event;

/// Releases the event of a command that needs no wait.
pub(super) fn release(event: Result<cl_event, i32>) -> Result<(), ClError> {
    event.map(|event| drop(opencl3::event::Event::new(event))).map_err(ClError)
}
