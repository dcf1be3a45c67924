import { describe, expect, it } from 'vitest';
import { findTampering } from './find-tampering.ts';

/** A small test file with markers: the lines between `<<` and `>>` are one test, `##` marks where a skip goes in, `!!` its assertion. */
interface Sample {
  readonly path: string;
  readonly text: string;
  /** Put in at `##`. */
  readonly skip: string;
  readonly tautology: string;
}

const samples: Readonly<Record<string, Sample>> = {
  tape: {
    path: 'test/add.js',
    text: `<<test('adds', function (t) {
  ##
  !!t.equal(add(1, 2), 3);
  t.end();
});>>
test('keeps zero', (t) => {
  t.equal(add(0, 0), 0, 'zero stays');
  t.end();
});`,
    skip: 't.skip();',
    tautology: 't.ok(true);',
  },
  pytest: {
    path: 'tests/test_add.py',
    text: `import pytest

##
<<def test_adds():
    """Two numbers."""
    !!assert add(1, 2) == 3>>


class TestZero:
    def test_keeps_zero(self):
        assert add(0, 0) == 0
`,
    skip: '@pytest.mark.skip(reason="later")',
    tautology: 'assert True',
  },
  unittest: {
    path: 'add_test.py',
    text: `import unittest


class AddTest(unittest.TestCase):
    ##
    <<def test_adds(self):
        !!self.assertEqual(add(1, 2), 3)>>

    def test_keeps_zero(self):
        self.assertEqual(add(0, 0), 0)
`,
    skip: '@unittest.expectedFailure',
    tautology: 'self.assertTrue(True)',
  },
  Go: {
    path: 'add_test.go',
    text: `package add

<<func TestAdds(t *testing.T) {
	##
	!!require.Equal(t, 3, Add(1, 2))
}>>

func TestKeepsZero(t *testing.T) {
	if got := Add(0, 0); got != 0 {
		t.Errorf("got %d, want 0", got)
	}
}
`,
    skip: 't.Skip("flaky")',
    tautology: 'require.True(t, true)',
  },
  Rust: {
    path: 'src/add.rs',
    text: `pub fn add(a: i32, b: i32) -> i32 { a + b }

#[cfg(test)]
mod tests {
    use super::*;

    <<#[test]
    ##
    fn adds() {
        !!assert_eq!(add(1, 2), 3);
    }>>

    #[test]
    fn keeps_zero() {
        assert_eq!(add(0, 0), 0);
    }
}
`,
    skip: '#[ignore]',
    tautology: 'assert!(true);',
  },
  Java: {
    path: 'src/test/java/AddTest.java',
    text: `class AddTest {
    <<@Test
    ##
    void adds() {
        !!assertEquals(3, Calc.add(1, 2));
    }>>

    @Test
    void keepsZero() {
        assertEquals(0, Calc.add(0, 0));
    }
}
`,
    skip: '@Disabled("later")',
    tautology: 'assertTrue(true);',
  },
  Kotlin: {
    path: 'src/test/kotlin/AddTest.kt',
    text: `class AddTest {
    <<@Test
    ##
    fun \`adds two numbers\`() {
        !!assertEquals(3, add(1, 2))
    }>>

    @Test
    fun keepsZero() {
        assertEquals(0, add(0, 0))
    }
}
`,
    skip: '@Ignore',
    tautology: 'assertTrue(true)',
  },
  'C#': {
    path: 'tests/AddTests.cs',
    text: `public class AddTests
{
    <<[Test]
    ##
    public void Adds()
    {
        !!Assert.AreEqual(3, Calc.Add(1, 2));
    }>>

    [Fact]
    public async Task KeepsZero()
    {
        Assert.Equal(0, Calc.Add(0, 0));
    }
}
`,
    skip: '[Ignore("later")]',
    tautology: 'Assert.True(true);',
  },
  RSpec: {
    path: 'spec/add_spec.rb',
    text: `RSpec.describe 'add' do
  <<it 'adds two numbers' do
    ##
    !!expect(add(1, 2)).to eq(3)
  end>>

  it { expect(add(0, 0)).to eq(0) }
end
`,
    skip: "skip 'later'",
    tautology: 'expect(true).to be_truthy',
  },
  minitest: {
    path: 'test/add_test.rb',
    text: `class AddTest < Minitest::Test
  <<def test_adds
    ##
    !!assert_equal 3, add(1, 2)
  end>>

  def test_keeps_zero
    assert_equal 0, add(0, 0)
  end
end
`,
    skip: 'skip',
    tautology: 'assert true',
  },
  PHPUnit: {
    path: 'tests/AddTest.php',
    text: `<?php
final class AddTest extends TestCase
{
    <<public function testAdds(): void
    {
        ##
        !!$this->assertSame(3, add(1, 2));
    }>>

    #[Test]
    public function keepsZero(): void
    {
        $this->assertSame(0, add(0, 0));
    }
}
`,
    skip: "$this->markTestSkipped('later');",
    tautology: '$this->assertTrue(true);',
  },
  Elixir: {
    path: 'test/add_test.exs',
    text: `defmodule AddTest do
  use ExUnit.Case

  ##
  <<test "adds two numbers" do
    !!assert Add.add(1, 2) == 3
  end>>

  test "keeps zero" do
    assert Add.add(0, 0) == 0
  end
end
`,
    skip: '@tag :skip',
    tautology: 'assert true',
  },
  Swift: {
    path: 'Tests/AddTests.swift',
    text: `final class AddTests: XCTestCase {
    <<func testAdds() throws {
        ##
        !!XCTAssertEqual(add(1, 2), 3)
    }>>

    @Test func keepsZero() {
        #expect(add(0, 0) == 0)
    }
}
`,
    skip: 'throw XCTSkip("later")',
    tautology: 'XCTAssertTrue(true)',
  },
  GoogleTest: {
    path: 'test/add_test.cc',
    text: `#include <gtest/gtest.h>

<<TEST(Add, AddsTwoNumbers) {
  ##
  !!EXPECT_EQ(add(1, 2), 3);
}>>

TEST_F(AddFixture, KeepsZero) {
  EXPECT_EQ(add(0, 0), 0);
}
`,
    skip: 'GTEST_SKIP() << "later";',
    tautology: 'EXPECT_TRUE(true);',
  },
  Catch2: {
    path: 'tests/add.cpp',
    text: `<<TEST_CASE("adds two numbers", "[add]") {
  ##
  !!REQUIRE(add(1, 2) == 3);
}>>

TEST_CASE("keeps zero") {
  CHECK(add(0, 0) == 0);
}
`,
    skip: 'SKIP("later");',
    tautology: 'REQUIRE(true);',
  },
  bats: {
    path: 'test/add.bats',
    text: `<<@test "adds two numbers" {
  ##
  run add 1 2
  !![ "$output" = "3" ]
}>>

@test "keeps zero" {
  run add 0 0
  [ "$output" = "0" ]
}
`,
    skip: 'skip "later"',
    tautology: '[ 1 = 1 ]',
  },
};

const plain = (text: string) => text.replace(/^[ \t]*##\n/gm, '').replace(/<<|>>|!!/g, '');

function kinds({ path, text }: Sample, tampered: string): readonly string[] {
  return findTampering([{ path, before: plain(text), after: plain(tampered) }]).map(
    ({ kind, severity }) => `${severity} ${kind}`,
  );
}

describe.each(Object.entries(samples))('tests of %s', (_, sample) => {
  const { text } = sample;

  it('are seen when they are deleted', () => {
    expect(kinds(sample, text.replace(/<<[\s\S]*?>>/, ''))).toEqual(['high test-deleted']);
  });

  it('are seen when they are skipped', () => {
    expect(kinds(sample, text.replace('##', sample.skip))).toEqual(['high test-skipped']);
  });

  it('are seen when they lose an assertion', () => {
    expect(kinds(sample, text.replace(/!!.*/, ''))).toEqual(['high assertion-removed']);
  });

  it('are seen when they assert what always holds', () => {
    expect(kinds(sample, text.replace(/!!.*?(?=>>|\n)/, sample.tautology))).toEqual(['high assertion-weakened']);
  });

  it('are left alone when one is added, or renamed', () => {
    const added = text.replace(
      /<<([\s\S]*?)>>/,
      (whole, test: string) => `${whole}\n\n${test.replace(/[aA]dds/g, (w) => `${w}More`)}`,
    );
    expect(kinds(sample, added)).toEqual([]);
    expect(
      kinds(
        sample,
        text.replace(/[aA]dds/g, (word) => `${word}Quickly`),
      ),
    ).toEqual([]);
  });
});
