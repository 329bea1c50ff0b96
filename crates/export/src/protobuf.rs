//! Writes messages in the wire format of protocol buffers. A message has numbered fields that contain numbers or bytes.

/// A message under construction. Fields are written in the order of the calls. Zeros and empty texts are left out,
/// because readers use these values for missing fields.
#[derive(Debug, Default)]
pub(crate) struct Message(Vec<u8>);

impl Message {
    /// Adds a field that contains a number.
    pub(crate) fn number(&mut self, field: u32, value: u64) -> &mut Self {
        if value != 0 {
            self.varint(u64::from(field) << 3);
            self.varint(value);
        }
        self
    }

    /// Adds a field that contains a message. An empty message is also written, because its position in a list matters.
    pub(crate) fn message(&mut self, field: u32, message: &Self) -> &mut Self {
        self.bytes(field, &message.0)
    }

    /// Adds a field of bytes or text. An empty field is also written.
    pub(crate) fn bytes(&mut self, field: u32, bytes: &[u8]) -> &mut Self {
        self.varint(u64::from(field) << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    /// Adds a packed list of numbers.
    pub(crate) fn numbers(&mut self, field: u32, values: impl IntoIterator<Item = u64>) -> &mut Self {
        let mut packed = Self::default();
        values.into_iter().for_each(|value| packed.varint(value));
        if packed.0.is_empty() { self } else { self.bytes(field, &packed.0) }
    }

    /// The message's bytes.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests the examples in the documentation of the wire format.
    #[test]
    fn the_wire_format() {
        let mut message = Message::default();
        message.number(1, 150).bytes(2, b"testing").numbers(6, [3, 270, 86_942]).number(9, 0);
        let expected = b"\x08\x96\x01\x12\x07testing\x32\x06\x03\x8e\x02\x9e\xa7\x05";
        assert_eq!(message.into_bytes(), expected);
    }
}
